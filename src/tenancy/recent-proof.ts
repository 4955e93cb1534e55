/** Whether the member of a session has proved who it is a moment ago; implemented in `auth/`. */
import type { MemberCaller } from './caller.js';
import type { RequestScope } from './request-scope.js';

export abstract class RecentProof {
  /** @throws KindError 401, 403 for an API key, and where the proof is too old */
  abstract require(scope: Pick<RequestScope, 'project' | 'caller'>): Promise<MemberCaller>;
}
