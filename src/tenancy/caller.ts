/** The caller of a request. No query can be planned without one. */
import type { HttpRequest } from '../http/request/request.js';
import { ADMIN_KIND, type Operation } from '../model/built-in-traits.js';
import type { HeldReason } from '../model/held-members.js';
import { KindError, refusal } from '../shared/errors.js';
import type { MaybePromise } from '../shared/work-in-pieces.js';
import type { Project } from './project.js';

/** Milliseconds for which a process takes sessions and API keys as it has found them. */
export const CALLER_LASTS = 900;

/** What a caller may do at most. */
export interface KeyScope {
  /** Equal for scopes that allow the same. */
  readonly id: string;
  allows(kindId: string, operation: Operation): boolean;
}

/** What sets an agent's key apart. */
export interface AgentRights {
  /** Whether it may use the tools that write. */
  readonly writes: boolean;
}

/** The API key of a request. */
export interface CallerKey {
  readonly id: string;
  /** Set for the key of an agent, which opens `/mcp` alone. */
  readonly agent?: AgentRights;
  /** Undefined: all that the member may. */
  readonly scope: KeyScope | undefined;
}

export interface MemberCaller {
  readonly type: 'member';
  readonly id: string;
  readonly kindId: string;
  /** Empty if the caller has an API key, and if no token was used. */
  readonly sessionId: string;
  /** Set if the request has an API key, which acts as its member. */
  readonly key?: CallerKey;
  /** Set if the project asks for more than the member has proved: it reaches its own authentication alone. */
  readonly held?: HeldReason;
  /** Whether it is a unit of `kind_admin`, which passes every rule of its project. */
  readonly admin: boolean;
}

/** @param held set for a member that is treated as a stranger as long as it is held */
interface AnonymousCaller {
  readonly type: 'anonymous';
  readonly held?: HeldReason;
}

export type Caller = (AnonymousCaller | MemberCaller | { readonly type: 'system' }) & {
  /** Set for functions, which also see hidden parameters. Answers of the service never contain them. */
  readonly seesHidden?: true;
};

/** A member as a caller; `sessionId` is empty if no token was used. */
export function memberCaller(id: string, kindId: string, sessionId = ''): MemberCaller {
  return { type: 'member', id, kindId, sessionId, admin: kindId === ADMIN_KIND };
}

export const ANONYMOUS: Caller = { type: 'anonymous' };

/** A held member is a stranger to everything but its own authentication. */
export function withoutHeld(caller: Caller): Caller {
  return caller.type === 'member' && caller.held ? { type: 'anonymous', held: caller.held } : caller;
}

/** The service itself, and functions that act as the system. It passes every level, also `nobody`. */
export const SYSTEM: Caller = { type: 'system' };

/** Whether a caller passes every rule. A scope of an API key is checked apart from this. */
export function isAdministrator(caller: Caller): boolean {
  return caller.type === 'system' || (caller.type === 'member' && caller.admin);
}

/** The scope of the caller's API key; undefined if nothing narrows what the caller may do. */
export function scopeOfKey(caller: Caller): KeyScope | undefined {
  return caller.type === 'member' ? caller.key?.scope : undefined;
}

/** What the caller's key may do as that of an agent; undefined for all other callers. */
export function agentOf(caller: Caller): AgentRights | undefined {
  return caller.type === 'member' ? caller.key?.agent : undefined;
}

/** Whether a caller may know everything of its project: an administrator whose rights no scope narrows. */
export function knowsWholeProject(caller: Caller): boolean {
  return isAdministrator(caller) && !scopeOfKey(caller);
}

interface CallerScope {
  readonly project: Project;
  readonly caller: Caller;
}

/**
 * Resolves the token or API key of a request to its caller; implemented in `auth/`. @throws KindError 401 for an invalid
 * one
 */
export abstract class CallerResolver {
  abstract resolve(request: HttpRequest, project: Project): MaybePromise<Caller>;

  /** When the token of a request that was resolved expires, in milliseconds since 1970; API keys are asked for. */
  abstract expiryOf(request: HttpRequest): number;

  /**
   * The members as they are now, in few statements for all: with the id that their kind has, and the scope of the API key,
   * or undefined where the session or the key is no longer valid, or the project holds them back now.
   */
  abstract current(
    project: Project,
    members: ReadonlySet<MemberCaller>,
  ): Promise<ReadonlyMap<MemberCaller, MemberCaller | undefined>>;

  /** Runs work for a caller; once more where the kind of the member has got another id since its token was read. */
  runAsNow<Scope extends CallerScope, T>(scope: Scope, run: (scope: Scope) => Promise<T>): Promise<T> {
    return run(scope).then(undefined, async (error: unknown) => {
      const { project, caller } = scope;
      if (!(error instanceof KindError) || error.code !== 'token.invalid' || caller.type !== 'member') throw error;
      const now = (await this.current(project, new Set([caller]))).get(caller);
      if (!now || now.kindId === caller.kindId) throw error;
      return run({ ...scope, caller: now });
    });
  }

  /**
   * For a request that has taken its time to arrive: its sender may have lost the session or the scope meanwhile. Held
   * members reach their own authentication alone, which asks by itself. @throws KindError 401
   */
  async checkStays(project: Project, caller: Caller): Promise<void> {
    if (caller.type !== 'member' || caller.held) return;
    const now = (await this.current(project, new Set([caller]))).get(caller);
    if (now && now.key === caller.key) return;
    throw refusal('token.revoked', 'The session was ended, or the API key changed, before all of the request was here');
  }
}
