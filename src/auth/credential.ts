/** Stored credentials: those of a member, and whether it may use them. */
import type { Catalog } from '../catalog/catalog.service.js';
import type { Executor } from '../database/database.js';
import { activeMemberKind, type Model } from '../model/model.js';
import { refusal } from '../shared/errors.js';
import { isUuid } from '../shared/identifiers.js';
import { foldName } from '../shared/member-names.js';
import {
  findAdministratorsStatement,
  findCredentialByEmailStatement,
  findCredentialStatement,
  findMemberCredentialStatement,
} from '../sql/member/credential.sql.js';
import type { Project } from '../tenancy/project.js';

/** Administrators that are told of one change. */
const MOST_TOLD = 20;

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
  /** Whether a former address was, before an administrator set this one. */
  readonly proved_before: boolean;
}

/**
 * The account that attempts are counted for: the member, by whichever name it is given, or the name itself, however it
 * is written, if nobody has it.
 */
export function accountOf(found: Pick<Credential, 'member_id'> | undefined, name = ''): string {
  return found ? `member ${found.member_id}` : `name ${foldName(name)}`;
}

/** The same for proofs that nobody can guess: whoever fails with a password keeps nobody from these. */
export function unguessableOf(found: Pick<Credential, 'member_id'>): string {
  return `unguessable ${accountOf(found)}`;
}

/** Members cannot sign in or recover a password if their kind is inactive or no longer a member kind. */
export function isUsable({ member_kind }: Credential, model: Model): boolean {
  return activeMemberKind(model, member_kind) !== undefined;
}

export function isUsableNow(catalog: Catalog, project: Project, credential: Credential): Promise<boolean> {
  return catalog.withCheckedModel({ project }, (model) => isUsable(credential, model));
}

/** Of the member with an id, whatever that is; undefined if there is none. */
export async function findCredential(
  executor: Executor,
  { schema }: Project,
  memberId: string,
): Promise<Credential | undefined> {
  if (!isUuid(memberId)) return undefined;
  return (await executor.run<Credential>(findMemberCredentialStatement(schema, memberId)))[0];
}

/** Of the member with an e-mail address, however it is written. */
export async function findCredentialByEmail(
  executor: Executor,
  { schema }: Project,
  email: string,
): Promise<Credential | undefined> {
  return (await executor.run<Credential>(findCredentialByEmailStatement(schema, foldName(email))))[0];
}

/** Of the member with a name or address, however it is written. */
export async function findCredentialByName(
  executor: Executor,
  { schema }: Project,
  name: string,
): Promise<Credential | undefined> {
  return (await executor.run<Credential>(findCredentialStatement(schema, foldName(name))))[0];
}

/** Of the administrators that are told of a change: not of all, if there are many. */
export function administratorsOf(executor: Executor, { schema }: Project): Promise<Credential[]> {
  return executor.run<Credential>(findAdministratorsStatement(schema, MOST_TOLD));
}

/** Of the member of a session. @throws KindError 401 if it is deleted */
export async function credentialOf(executor: Executor, project: Project, memberId: string): Promise<Credential> {
  const found = await findCredential(executor, project, memberId);
  if (!found) throw refusal('token.invalid', 'The member of this token is deleted');
  return found;
}

/** Of the member with a name or address, for operators. @throws KindError 404 */
export async function memberNamed(executor: Executor, project: Project, name: string): Promise<Credential> {
  const found = await findCredentialByName(executor, project, name);
  if (!found) throw refusal('unit.unknown', `No member '${name}' in project '${project.id}'`);
  return found;
}
