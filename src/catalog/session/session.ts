/** What an operation on units needs: project, caller, model and connection. */
import type { DefinitionChange } from '../definition/definition-change.js';
import type { Executor, Transaction } from '../../database/database.js';
import type { Field, KindDef, Model } from '../../model/model.js';
import type { ReceivedBody } from '../../http/body/read-body.js';
import type { Ending } from '../../shared/ending.js';
import type { RequestIds } from '../../http/request/request-id.js';
import { SYSTEM, type Caller } from '../../tenancy/caller.js';
import type { UnitFunction } from '../../access/unit-rights.js';
import type { Via } from '../../kit/module.js';
import type { Project } from '../../tenancy/project.js';
import type { DeletionProgress } from './deletion-progress.js';
import { Injectable } from '@nestjs/common';

/**
 * What an answer shows, which decides how it is repeated: units or links alone, of which is left out what may no longer
 * be read, or what its author decides. Undefined for anything else.
 */
export type Shown = 'units' | 'links' | 'free';

/** The modules of functions of all projects at one time. */
export interface DeployedFunctions {
  /** The functions of a kind's units in a project, by name. */
  readonly functionsOfUnits: (project: string, kindId: string) => readonly UnitFunction[];
  /** Whether a module of the kind is there, broken or not. */
  readonly hasModule: (project: string, kindId: string) => boolean;
}

export interface Session {
  readonly project: Project;
  readonly caller: Caller;
  readonly model: Model;
  readonly executor: Executor;
  /** The id of the request, for the audit log. */
  readonly requestId?: RequestIds;
  /** Set within a definition change. */
  readonly change?: DefinitionChange;
  /** The kind in whose body the parameters are defined that are written. */
  readonly definingKind?: string | undefined;
  /** The caller of the request, where `caller` is the system; hooks receive this one. */
  readonly originalCaller?: Caller;
  /** Left out for a request to the API. */
  readonly origin?: WriteOrigin;
  /** The custom functions at the beginning of the operation, which uses them to its end. */
  readonly deployment?: DeployedFunctions;
  /** Set if what is written is undone at the end. */
  readonly dry?: true;
  /**
   * Set if the answer is kept for an idempotency key, so that it must not have a secret. A batch adds what the answer of
   * each operation shows.
   */
  readonly kept?: (Shown | null)[];
  /** Set where somebody wants to know what deletions do. */
  readonly deletions?: DeletionReport | undefined;
  /** Set while units are deleted. */
  readonly deletionProgress?: DeletionProgress;
  /** Set where the rule of a reference writes. */
  readonly cascade?: true | undefined;
}

/** The way by which units are written, and whether the system does it: code of a module by `system`, or a command. */
interface WriteOrigin {
  readonly via: Via;
  readonly bySystem: boolean;
  /** The way by which it began, if `via` is one within it. */
  readonly outermost?: Via;
  /** How many times something has followed a commit, one after the other, if it has. */
  readonly depth?: number;
}

/** What comes before the transaction of a write: returns the body that the write gets. */
export type Ahead = (session: Session, body: ReceivedBody, write: Ending) => Promise<ReceivedBody>;

/** How the units of a session are written. */
export function originOfWrites({ origin, ...session }: Session): WriteOrigin {
  return origin ?? { via: 'api', bySystem: originalCallerOf(session).type === 'system' };
}

/** Whether nobody has asked for it. */
export function runsByItself(via: Via): boolean {
  return via === 'schedule' || via === 'after_commit';
}

/** The way by which the writes of a session began. */
export function outermostVia({ origin }: Pick<Session, 'origin'>): Via {
  return origin?.outermost ?? origin?.via ?? 'api';
}

/** The same session, by another way of its caller. */
export function withOrigin<S extends Omit<Session, 'executor'>>(session: S, via: Via): S {
  return { ...session, origin: { via, bySystem: originalCallerOf(session).type === 'system' } };
}

/** The caller of the request. */
export function originalCallerOf({ originalCaller, caller }: Pick<Session, 'caller' | 'originalCaller'>): Caller {
  return originalCaller ?? caller;
}

/** @throws Error where the session has no transaction */
export function transactionOf({ executor: { tx } }: Session): Transaction {
  if (!tx) throw new Error('user code runs in a transaction');
  return tx;
}

/** The same session as the system, for writes of behaviors. */
export function asSystem(session: Session): Session {
  return { ...session, caller: SYSTEM, originalCaller: originalCallerOf(session) };
}

/** @throws Error outside of a definition change */
export function changeOf(session: Session): DefinitionChange {
  if (!session.change) throw new Error('definitions are written in a definition change');
  return session.change;
}

/** Gets what deletions of units do, with all that they take along, and says of it what the caller may read. */
export interface DeletionReport {
  deleted(kind: KindDef, units: number, by: Caller): void;
  /** References that are set to null. */
  cleared(kind: KindDef, field: Field, units: number): void;
  /** For what happens to the units that refer by a field; undefined if nothing is said of them. */
  through(kind: KindDef, field: Field): DeletionReport | undefined;
}

/** The custom functions of all projects as they are now. An operation uses one set to its end. */
@Injectable()
export class Deployments {
  #source: { readonly deployment: DeployedFunctions } | undefined;

  /** Call it at most once. */
  use(source: { readonly deployment: DeployedFunctions }): void {
    this.#source = source;
  }

  /** Undefined where there are no functions. */
  get current(): DeployedFunctions | undefined {
    return this.#source?.deployment;
  }
}
