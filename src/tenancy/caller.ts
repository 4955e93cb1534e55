/** Who asks. A plan can not be made without one. */
import { ADMIN_KIND } from '../model/built-in-traits.js';
import type { MaybePromise } from '../shared/maybe-promise.js';
import type { Project } from './project.js';

export interface MemberCaller {
  readonly type: 'member';
  readonly id: string;
  readonly kindId: string;
  readonly sessionId: string;
  /** A unit of `kind_admin`: passes every rule of its project. */
  readonly admin: boolean;
}

export type Caller = ({ readonly type: 'anonymous' } | MemberCaller | { readonly type: 'system' }) & {
  /** Set for a function, whoever it acts as: it sees hidden parameters. No answer of the service does. */
  readonly seesHidden?: true;
};

/** A member as a caller; without a session where nobody signed in. */
export function memberCaller(id: string, kindId: string, sessionId = ''): MemberCaller {
  return { type: 'member', id, kindId, sessionId, admin: kindId === ADMIN_KIND };
}

export const ANONYMOUS: Caller = { type: 'anonymous' };

/** The service itself, and functions that act as the system: passes everything, `nobody` too. */
export const SYSTEM: Caller = { type: 'system' };

export function isAdministrator(caller: Caller): boolean {
  return caller.type === 'system' || (caller.type === 'member' && caller.admin);
}

/** Tells whose token a request carries; made by `auth/`. @throws KindError 401 for a bad token */
export abstract class CallerResolver {
  abstract resolve(authorization: string | undefined, project: Project): MaybePromise<Caller>;
}
