/** What one piece of work on a project's units needs: who, where, by which definitions, on which connection. */
import type { DefinitionChange } from '../../catalog/definition/definition-change.service.js';
import type { Executor, Transaction } from '../../database/database.js';
import type { Model } from '../../model/model.js';
import { SYSTEM, type Caller } from '../../tenancy/caller.js';
import type { Project } from '../../tenancy/project.js';
import type { DeletionSet } from './deletion-set.js';

export interface Session {
  readonly project: Project;
  readonly caller: Caller;
  readonly model: Model;
  readonly executor: Executor;
  /** Set while definitions change: rows of the model are written, the tables follow at the end. */
  readonly change?: DefinitionChange;
  /** Who asked, where `caller` is the system in its place: hooks are told of that one. */
  readonly originalCaller?: Caller;
  /** The custom functions that the work began with: others that are loaded meanwhile are not for it. */
  readonly deployment?: object;
  /** Set while units are deleted. */
  readonly deletionSet?: DeletionSet;
}

/** Whoever the work is done for. */
export function originalCallerOf({ originalCaller, caller }: Session): Caller {
  return originalCaller ?? caller;
}

/** The transaction of a session in which several statements are one. */
export function transactionOf({ executor: { tx } }: Session): Transaction {
  if (!tx) throw new Error('code of authors runs in a transaction');
  return tx;
}

/** Sessions of behaviours write what no client may. */
export function asSystem(session: Session): Session {
  return { ...session, caller: SYSTEM, originalCaller: originalCallerOf(session) };
}

/** The change of a session in which definitions are written. */
export function changeOf(session: Session): DefinitionChange {
  if (!session.change) throw new Error('definitions are written in a definition change');
  return session.change;
}
