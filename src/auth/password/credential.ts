/** Credentials as sign-in reads them, and whether their member may use them now. */
import { isMemberKind, type Model } from '../../model/model.js';

export interface Credential {
  readonly username: string;
  readonly email: string;
  readonly password_hash: string | null;
  readonly member_kind: string;
  readonly member_id: string;
}

/** What attempts at an account count for: the member, however it is named; a name that nobody has counts for itself. */
export function accountOf(found: Credential | undefined, typed = ''): string {
  return found ? `member ${found.member_id}` : `name ${typed}`;
}

/** Members of a kind that is switched off, or no member kind any more, neither sign in nor recover. */
export function isUsable({ member_kind }: Credential, model: Model): boolean {
  const kind = model.kinds.get(member_kind);
  return kind !== undefined && kind.active && isMemberKind(kind);
}
