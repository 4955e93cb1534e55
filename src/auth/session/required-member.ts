import { refusal } from '../../shared/errors.js';
import type { Caller, MemberCaller } from '../../tenancy/caller.js';

/** @throws KindError 401 without a token */
export function requireMember(caller: Caller): MemberCaller {
  if (caller.type === 'member') return caller;
  throw refusal('token.missing', 'A bearer token is needed here');
}

/** @throws KindError 401 without a token, 403 for an API key, which has no session */
export function requireSession(caller: Caller): MemberCaller {
  const member = requireMember(caller);
  if (member.key) throw refusal('key.not_here', 'API keys are not taken here: it takes the access token of a session');
  return member;
}
