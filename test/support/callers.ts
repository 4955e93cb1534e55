/** Callers for tests: members of a project whose tokens the service itself signs, without a sign-up. */
import { randomUUID } from 'node:crypto';
import { TokenService } from '../../src/auth/token.service.js';
import type { TestProject } from './service.js';

/** Makes `person` a member kind of the project, and answers the project as one of its members. */
export async function asMember(project: TestProject, kindId = 'person'): Promise<TestProject> {
  await project.post('/kind/unit', { id: kindId, label: 'Person' });
  const joined = await project.post(`/group/unit/kind_auth_member/link/group/kind/unit/${kindId}`);
  if (joined.status !== 200) throw new Error(joined.text);
  const made = await project.post(`/${kindId}/unit`, { username: `ann_${kindId}`, email: `ann@${kindId}.example` });
  if (made.status !== 200) throw new Error(made.text);
  const tokens = project.service.app
    .get(TokenService)
    .issue(project.id, kindId, made.body.content.id as string, randomUUID());
  return project.as(tokens.access_token);
}

/** The same project without a token. */
export function anonymous(project: TestProject): TestProject {
  return project.as(undefined);
}

/** Defines kinds and throws where one is refused. */
export async function defineKinds(project: TestProject, ...kinds: readonly object[]): Promise<void> {
  for (const kind of kinds) {
    const reply = await project.post('/kind/unit', kind);
    if (reply.status !== 200) throw new Error(`${JSON.stringify(kind)}: ${reply.text}`);
  }
}
