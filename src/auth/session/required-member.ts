import { refusal } from '../../shared/errors.js';
import type { Caller, MemberCaller } from '../../tenancy/caller.js';

/** @throws KindError 401 without a token */
export function requireMember(caller: Caller): MemberCaller {
  if (caller.type === 'member') return caller;
  throw refusal('token.missing', 'A bearer token is needed here');
}
