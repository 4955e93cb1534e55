/** Members of the first project of a deployment. */
import { Client, type Sent } from './client.js';
import type { Deployment } from './deployment.js';
import { PROJECT } from './service-process.js';

const PASSWORD = 'password of a member';

export interface Member {
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Makes the member kind `person`. */
export function memberKind(parameters: readonly object[]): Sent[] {
  return [
    { method: 'POST', path: '/kind/unit', body: { id: 'person', parameters } },
    { method: 'PUT', path: '/group/unit/kind_auth_member', body: { kind_list: ['kind_admin', 'person'] } },
  ];
}

export async function signUp(
  { service }: Deployment,
  username: string,
  values: Readonly<Record<string, unknown>>,
): Promise<Member> {
  const project = { 'kind-project-key': PROJECT };
  const stranger = new Client(() => service.url, project);
  const account = { username, password: PASSWORD, email: `${username}@example.com` };
  const body = { username, password: PASSWORD, kind_system_user: account, ...values };
  const signed = await stranger.ok({ method: 'POST', path: '/auth/person/signup', body });
  stranger.close();
  const { id, access_token: token } = signed as { id: string; access_token: string };
  return { id, headers: { ...project, authorization: `Bearer ${token}` } };
}
