/** Stored credentials, and whether their member may use them. */
import type { Catalog } from '../../catalog/catalog.service.js';
import { isMemberKind, type Model } from '../../model/model.js';
import type { Project } from '../../tenancy/project.js';

export interface Credential {
  readonly id: string;
  readonly username: string;
  readonly email: string;
  readonly password_hash: string | null;
  readonly member_kind: string;
  readonly member_id: string;
  /** Encrypted; null without an authenticator app. */
  readonly totp_secret: string | null;
  /** Whether codes of it are asked for. */
  readonly totp_confirmed: boolean;
  /** How many are left. */
  readonly recovery_codes: number;
  readonly email_verified: boolean;
}

/**
 * The account that attempts are counted for: the member, by whichever name it is given, or the name itself if nobody
 * has it.
 */
export function accountOf(found: Pick<Credential, 'member_id'> | undefined, typed = ''): string {
  return found ? `member ${found.member_id}` : `name ${typed}`;
}

/** Members cannot sign in or recover a password if their kind is inactive or no longer a member kind. */
export function isUsable({ member_kind }: Credential, model: Model): boolean {
  const kind = model.kinds.get(member_kind);
  return kind !== undefined && kind.active && isMemberKind(kind);
}

export function isUsableNow(catalog: Catalog, project: Project, credential: Credential): Promise<boolean> {
  return catalog.withCheckedModel({ project }, (model) => isUsable(credential, model));
}

/** The id of the unit in the only row that an insert returned. @throws Error if there is none */
export function insertedId([row]: readonly { readonly body: string | null }[]): string {
  if (!row?.body) throw new Error('the insert returned no unit');
  return (JSON.parse(row.body) as { id: string }).id;
}
