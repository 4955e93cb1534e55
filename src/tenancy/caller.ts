/** The caller of a request. No query can be planned without one. */
import { ADMIN_KIND } from '../model/built-in-traits.js';
import type { MaybePromise } from '../shared/maybe-promise.js';
import type { Project } from './project.js';

export interface MemberCaller {
  readonly type: 'member';
  readonly id: string;
  readonly kindId: string;
  readonly sessionId: string;
  /** Whether it is a unit of `kind_admin`, which passes every rule of its project. */
  readonly admin: boolean;
}

export type Caller = ({ readonly type: 'anonymous' } | MemberCaller | { readonly type: 'system' }) & {
  /** Set for functions, which also see hidden parameters. Answers of the service never contain them. */
  readonly seesHidden?: true;
};

/** A member as a caller; `sessionId` is empty if no token was used. */
export function memberCaller(id: string, kindId: string, sessionId = ''): MemberCaller {
  return { type: 'member', id, kindId, sessionId, admin: kindId === ADMIN_KIND };
}

export const ANONYMOUS: Caller = { type: 'anonymous' };

/** The service itself, and functions that act as the system. It passes every level, also `nobody`. */
export const SYSTEM: Caller = { type: 'system' };

export function isAdministrator(caller: Caller): boolean {
  return caller.type === 'system' || (caller.type === 'member' && caller.admin);
}

/** Resolves the token of a request to its caller; implemented in `auth/`. @throws KindError 401 for an invalid token */
export abstract class CallerResolver {
  abstract resolve(authorization: string | undefined, project: Project): MaybePromise<Caller>;
}
