/** One change of definitions, as the code that writes the definitions sees it. */
import { type Transaction } from '../../database/database.js';
import { recordedFields } from '../../model/recorded-fields.js';
import { getBuiltInKind, type Model } from '../../model/model.js';
import { NO_RENAMES, type Renames } from '../../model/rename/renames.js';
import type { Guard } from '../../model/table/diff.js';
import type { RequestIds } from '../../http/request/request-id.js';
import type { RecordedPlan } from '../../sql/write/recording.sql.js';
import type { Caller } from '../../tenancy/caller.js';
import type { Project } from '../../tenancy/project.js';
import type { ChangeEffects, ReportedEffects } from './change-report.js';
import type { Fills } from './filled-nulls.js';
import type { JudgedUnits } from './judged-units.js';

const BY_COMMAND = JSON.stringify({ via: 'command' });

export class DefinitionChange {
  readonly kinds = new Set<string>();
  /** Kinds that were added to a group or removed from one. */
  readonly regrouped = new Set<string>();
  /** By the ids of their records, as everywhere here. */
  readonly parameters = new Set<string>();
  readonly linkTypes = new Set<string>();
  /** Parameters that were defined in the body of a kind or link type, with their position. */
  readonly inline = new Map<string, number>();
  /** Those among them that are deleted with a definition, with its owner: see `parameterOwner`. */
  readonly definedIn = new Map<string, string>();
  /** Shared parameters that become own ones of these kinds. */
  readonly copied = new Map<string, readonly string[]>();
  /** Kinds whose access was written. */
  readonly access = new Set<string>();
  /** Link types whose access was written. */
  readonly linkAccess = new Set<string>();
  /** Whether metadata of a kind was written, which the model does not have. */
  writesMetadata = false;
  /** Gets the guards whose units are to be counted again after the commit; undefined where that cannot be. */
  countedAgain: Guard[] | undefined;
  /** Stores the units of new tables. Called before these have indexes and foreign keys, which is several times as fast. */
  fill: ((model: Model) => Promise<void>) | undefined;
  /** What units get in place of nulls that are no longer allowed. */
  fills: Fills | undefined;
  /** Set if the change is a plan: then it goes on where units contradict it. */
  readonly judged: JudgedUnits | undefined;
  /** `?cascade=true`: the change may delete stored data. */
  readonly cascade: boolean;
  /** Whether error texts may contain numbers of units. */
  readonly tellCounts: boolean;
  readonly caller: Caller;
  readonly undo: boolean;
  readonly byFile: boolean;
  readonly origin: string;
  #renames = NO_RENAMES;
  #former: Model | undefined;
  #before: Model;

  constructor(
    readonly tx: Transaction,
    /** Read under the project's lock. */
    before: Model,
    { cascade, tellCounts, caller, undo = false, byFile = false, origin = BY_COMMAND, judged }: ChangeOptions,
    /** Collects what the change does, if that was asked for. */
    readonly effects?: ChangeEffects,
  ) {
    this.#before = before;
    this.cascade = cascade;
    this.tellCounts = tellCounts;
    this.caller = caller;
    this.undo = undo;
    this.judged = judged;
    this.byFile = byFile;
    this.origin = origin;
  }

  /** The model before the change, in which definitions that it renames have their new ids. */
  get before(): Model {
    return this.#before;
  }

  get renames(): Renames {
    return this.#renames;
  }

  /** The model in which what was renamed has its former ids; undefined if nothing was. */
  get former(): Model | undefined {
    return this.#former;
  }

  /** @param model with the new ids */
  renamed(renames: Renames, model: Model): void {
    this.#renames = renames;
    this.#former = this.#before;
    this.#before = model;
  }

  /** For definitions that the change itself writes, of one of the built-in kinds. */
  planOf(project: Project, kindId: string): RecordedPlan {
    const kind = getBuiltInKind(this.before, kindId);
    const recording = this.undo ? undefined : { fields: recordedFields(kind, this.before), origin: this.origin };
    return { schema: project.schema, kind, recording };
  }
}

export interface ChangeOptions {
  readonly cascade: boolean;
  readonly tellCounts: boolean;
  readonly caller: Caller;
  /** The id of the request, for the audit log. */
  readonly requestId?: RequestIds;
  /** Milliseconds of each statement; ten minutes by default, 0 for any. */
  readonly statementTimeout?: number;
  /** Gets what the change does, inside its transaction. */
  readonly report?: (effects: ReportedEffects) => void;
  /** Who changes them, and how, as it is recorded (`originText`); left out for a command of the service. */
  readonly origin?: string;
  /** Set if all of it is undone at its end. */
  readonly undo?: boolean;
  /** Gets what a plan finds out; with `undo` alone. */
  readonly judged?: JudgedUnits;
  /** Set if a model file changes them. */
  readonly byFile?: boolean;
}

/** Runs around a whole change in its transaction, after the project is locked. */
export type AroundChange<T> = (tx: Transaction, change: () => Promise<T>) => Promise<T>;
