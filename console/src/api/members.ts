/** Members: sessions, mails, API keys. All functions throw `ApiError`. */
import { session } from './session.js';
import type { Page, Unit } from './types.js';
import { createUnit, listUnits, literal, updateUnit } from './units.js';

export interface MemberSession {
  readonly id: string;
  readonly made_at: string;
  readonly last_used_at: string;
  readonly address: string | null;
  readonly user_agent: string | null;
  readonly current: boolean;
}

/** Sessions and keys in one answer; more are counted. */
const MOST = 100;
export const MEMBER_GROUP = 'kind_auth_member';

/** @param member another one, for administrators; undefined for oneself */
export async function listSessions(member?: string): Promise<Page<MemberSession>> {
  const { content } = await session.call<Page<MemberSession>>({
    path: sessionPath(member),
    query: { limit: String(MOST) },
  });
  return content;
}

export async function endSession(id: string, member?: string): Promise<void> {
  await session.call({ method: 'DELETE', path: [...sessionPath(member), id] });
}

/** All of another member; of oneself all but this one. */
export async function endSessions(member?: string): Promise<void> {
  await session.call({ method: 'DELETE', path: sessionPath(member) });
}

function sessionPath(member: string | undefined): readonly string[] {
  return member === undefined ? ['auth', 'session'] : ['auth', 'member', member, 'session'];
}

export async function changePassword(body: { current_password: string; new_password: string }): Promise<void> {
  await session.call({ method: 'POST', path: ['auth', 'change_password'], body });
}

/** The answer does not tell whether a member has the address. */
export async function sendPasswordMail(email: string): Promise<void> {
  await session.call({ method: 'POST', path: ['auth', 'recover_password'], body: { email } });
}

/** Whether mails are sent, or only written to files; for administrators. */
export async function areMailsSent(): Promise<boolean> {
  return (await session.call<{ sent: boolean }>({ path: ['auth', 'mail'] })).content.sent;
}

export interface ScopePart {
  readonly kinds: readonly string[];
  readonly operations: readonly string[];
}

export interface ApiKey extends Unit {
  readonly label: string | null;
  readonly member: string;
  readonly scope: readonly ScopePart[] | null;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
  readonly hint: string;
  /** Whether it is the key of an agent, and that may write. */
  readonly agent: boolean | null;
  readonly writes: boolean | null;
}

/** What an agent has done with its key. */
export interface AgentCall {
  readonly id: string;
  readonly at: string;
  readonly tool: string;
  readonly kind_id: string | null;
  readonly number: number | null;
  /** `done`, or the code of the refusal. */
  readonly outcome: string;
}

/** The newest calls, and how many there were in 30 days. */
export async function listCalls(key: string): Promise<Page<AgentCall>> {
  const path = ['api_key', 'unit', key, 'call'];
  return (await session.call<Page<AgentCall>>({ path, query: { limit: String(MOST) } })).content;
}

export async function listKeys(member: string): Promise<readonly ApiKey[]> {
  const query = { filter: `eq(member,${literal(member)})`, order: ['inserted_at;desc'], cursor: '', limit: MOST };
  return (await listUnits('api_key', query)).items as readonly ApiKey[];
}

/** What can be said of a key when it is made, and later. */
export type KeySettings = Pick<ApiKey, 'label' | 'scope' | 'expires_at' | 'agent' | 'writes'>;

/** Answers the secret, which is told this one time. */
export async function createKey(key: KeySettings & Pick<ApiKey, 'member'>): Promise<string> {
  return (await createUnit('api_key', key))['secret'] as string;
}

/** The version that was read is changed, and no other. */
export async function updateKey({ id, updated_at: version }: ApiKey, settings: KeySettings): Promise<void> {
  await updateUnit('api_key', id, { ...settings, updated_at: version });
}

export async function deleteKey(id: string): Promise<void> {
  await session.call({ method: 'DELETE', path: ['api_key', 'unit', id] });
}
