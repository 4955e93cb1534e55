/** Callers for tests: members of a project, with tokens that the service signs, without a sign-up. */
import { SessionStore } from '../../src/auth/session/session-store.js';
import { TokenService, type Tokens } from '../../src/auth/session/token.service.js';
import { ProjectStore } from '../../src/tenancy/project-store.js';
import { query } from './definitions.js';
import type { TestProject } from './service.js';

/** Makes `person` a member kind of the project, and answers the project as one of its members. */
export async function asMember(project: TestProject, kindId = 'person'): Promise<TestProject> {
  await project.post('/kind/unit', { id: kindId, label: 'Person' });
  const joined = await project.post(`/group/unit/kind_auth_member/link/group/kind/unit/${kindId}`);
  if (joined.status !== 200) throw new Error(joined.text);
  const made = await project.post(`/${kindId}/unit`, { username: `ann_${kindId}`, email: `ann@${kindId}.example` });
  if (made.status !== 200) throw new Error(made.text);
  return project.as((await tokensOf(project, kindId, made.body.content.id as string)).access_token);
}

/** Tokens of a real session, for a member that never signed in. `password`: the hash that was checked. */
export async function tokensOf(
  { service, id }: TestProject,
  kindId: string,
  memberId: string,
  password?: string,
): Promise<Tokens> {
  const project = await service.app.get(ProjectStore).find(id);
  if (!project) throw new Error(`no project ${id}`);
  const grant = await service.app.get(SessionStore).start(service.database, project, { kindId, memberId, password });
  if (!grant) throw new Error(`no session of ${memberId}`);
  return service.app.get(TokenService).issue(id, kindId, memberId, grant);
}

/** The project as its first administrator, with a session that the service starts. */
export async function asAdministrator(project: TestProject): Promise<TestProject> {
  const [admin] = await query<{ id: string }>(project, 'SELECT id::text FROM $schema.kind_admin ORDER BY id LIMIT 1');
  return project.as((await tokensOf(project, 'kind_admin', admin?.id ?? '')).access_token);
}

/** The same project without a token. */
export function anonymous(project: TestProject): TestProject {
  return project.as(undefined);
}

/** The callers, each held to its document of the definitions as they are now. */
export async function documented<Name extends string>(
  callers: Readonly<Record<Name, TestProject>>,
): Promise<Record<Name, TestProject>> {
  const entries = Object.entries(callers) as [Name, TestProject][];
  const held = entries.map(async ([name, caller]) => [name, await caller.documented()] as const);
  return Object.fromEntries(await Promise.all(held)) as Record<Name, TestProject>;
}

/** Defines kinds and throws where one is refused. */
export async function defineKinds(project: TestProject, ...kinds: readonly object[]): Promise<void> {
  for (const kind of kinds) {
    const reply = await project.post('/kind/unit', kind);
    if (reply.status !== 200) throw new Error(`${JSON.stringify(kind)}: ${reply.text}`);
  }
}

export interface TestMember {
  readonly id: string;
  readonly username: string;
  readonly email: string;
  readonly password: string;
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** Makes `person` a member kind that anyone may sign up to. */
export async function withMembers(project: TestProject): Promise<TestProject> {
  await defineKinds(project, { id: 'person', label: 'Person' });
  const joined = await project.post('/group/unit/kind_auth_member/link/group/kind/unit/person');
  if (joined.status !== 200) throw new Error(joined.text);
  return project;
}

/** Signs a member up over HTTP. */
export async function signUp(
  project: TestProject,
  username: string,
  more: object = {},
  kind = 'person',
): Promise<TestMember> {
  const [password, email] = [`secret of ${username}`, `${username}@example.com`];
  const body = { username, password, kind_system_user: { username, password, email }, ...more };
  const reply = await anonymous(project).post(`/auth/${kind}/signup`, body);
  if (reply.status !== 200) throw new Error(reply.text);
  const { id, access_token, refresh_token } = reply.body.content as Record<string, string>;
  return {
    id: id ?? '',
    username,
    email,
    password,
    accessToken: access_token ?? '',
    refreshToken: refresh_token ?? '',
  };
}
