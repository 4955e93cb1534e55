/** The interface of the stores of units, tables and remote sources: one part for each verb. Callers check rights first. */
import type { Grant } from '../../access/level.js';
import type { AggregateQuery, MatchingQuery, UpsertQuery } from '../../filter/queries.js';
import type { Parsed, ParsedQuery, RepeatableQuery } from '../../http/route/parse-list-query.js';
import type { QueryName } from '../../http/route/query-names.js';
import type { Remote } from '../../kit/module.js';
import type { Field, KindDef } from '../../model/model.js';
import type { Predicate } from '../../model/predicate/predicate.js';
import type { Faults } from '../../shared/errors.js';
import type { Json } from '../../shared/json.js';
import type { MaybePromise } from '../../shared/work-in-pieces.js';
import type { Isolation } from '../../sql/server/transaction.sql.js';
import type { Caller } from '../../tenancy/caller.js';
import type { Project } from '../../tenancy/project.js';
import type { Body } from '../draft/draft.js';
import type { NotObject } from '../draft/drafter.js';
import type { KeyText } from './unit-ids.js';
import type { Session } from '../../catalog/session/session.js';

export type UnitOperation = keyof Remote;

/** A kind, and the units of it that the caller may read. */
export interface Readable {
  readonly kind: KindDef;
  readonly grant: Grant;
}

/** A unit in the form in which clients receive it. */
export interface UnitRow {
  /** The version of the unit, part of its ETag. */
  readonly tag: string;
  /** JSON. */
  readonly body: string;
}

export interface ShownUnit extends UnitRow {
  /** The body has parts of other units too. */
  readonly more: boolean;
}

/** A page of units. */
export interface UnitPage {
  /** -1 if the units were not counted. */
  readonly count: number;
  /** JSON. */
  readonly items: string;
  /** With keyset pagination the cursor of the next page, null on the last one. */
  readonly next?: string | null;
}

/** A page of units of several kinds. */
export interface MixedPage extends UnitPage {
  /** Whether the query includes `kind_id` in each unit. */
  readonly showsKinds: boolean;
}

/** A page of an aggregation. */
export interface GroupPage {
  /** The number of all groups. */
  readonly count: number;
  /** JSON. */
  readonly items: string;
  /** The names in the items whose values come from hidden parameters. */
  readonly hidden: readonly string[];
}

/** Conditions that the stored unit of a write has to satisfy. */
export interface Conditions {
  /** The units that the caller may change. */
  readonly access?: Predicate | undefined;
  /** From `If-Match`: the version tags of which the unit must still have one. */
  readonly tags?: readonly string[] | undefined;
}

export interface WriteOptions extends Conditions {
  /** The body is a list: faults name the position. */
  readonly bulk?: boolean;
  /** The caller whose writable fields apply, if it is not the caller of the session. */
  readonly writer?: Caller;
  /** Objects of an edit are values, and no expressions. */
  readonly literal?: boolean;
  /** The parameters by which the units of an upsert were looked up, which hooks may not change. */
  readonly by?: readonly Field[];
  /** Faults of the request of a create, which are reported together with the faults of the bodies. */
  readonly faults?: Faults;
  /**
   * Whether a create or an upsert in a table returns the units; true if left out. Without them it is faster: a create
   * returns none, and an upsert empty rows.
   */
  readonly answers?: boolean;
  /** Whether bodies of a create in a table may have ids that are otherwise generated. */
  readonly keepIds?: boolean;
  /** When a unit that is brought back was created first, in the form of records. */
  readonly insertedAt?: string | undefined;
  /** Whether a create in a table looks up all references first, so that all missing units are reported at once. */
  readonly lookUpAll?: boolean;
}

/** What an upsert did with a unit. */
export type UpsertResult = 'created' | 'updated' | 'unchanged' | 'ignored';

export interface UpsertedUnit extends UnitRow {
  readonly result: UpsertResult;
}

/** A unit that was looked up by unique parameters. `body` is null if the caller may not read it. */
export interface FoundUnit {
  readonly id: string;
  readonly tag: string;
  readonly body: string | null;
}

/** The values of a body by column; those with faults are left out. */
export type KeyRow = Readonly<Record<string, Json>>;

/** Units by the position of their body. */
export type FoundUnits = ReadonlyMap<number, FoundUnit>;

/** What is known of an upsert before: the values by which units are looked up, which have no faults, and these units. */
export interface LookedUp {
  readonly rows: readonly KeyRow[];
  readonly units?: FoundUnits | undefined;
}

export interface UpsertWriteOptions extends Pick<WriteOptions, 'bulk' | 'writer' | 'answers'> {
  readonly looked?: LookedUp | undefined;
}

/** What an edit or deletion by filter answers. */
export interface AffectedUnits {
  readonly count: number;
  /** The units as JSON, if the query includes fields: at most 1000. */
  readonly items?: string;
}

/** Reads units. */
export interface UnitReads {
  /** @throws KindError 400 */
  list(session: Session, readable: Readable, query: ParsedQuery): Promise<UnitPage>;
  /** A page of groups of units. @throws KindError 400 */
  aggregate(session: Session, readable: Readable, query: RepeatableQuery<AggregateQuery>): Promise<GroupPage>;
  /** A missing unit is reported before faults of the query. @throws KindError 400, 404 */
  get(session: Session, readable: Readable, id: string, query: ParsedQuery): Promise<ShownUnit>;
  /** The same for a unit that is named by a unique parameter. */
  getBy(session: Session, readable: Readable, key: KeyText, query: ParsedQuery): Promise<ShownUnit>;
  /** The whole unit; undefined if it does not exist or the caller may not read it. */
  find(session: Session, readable: Readable, id: string): Promise<UnitRow | undefined>;
  /**
   * Locks a unit until the transaction of the session ends. Of several transactions that lock it, each reads what those
   * before it stored. Returns whether the caller may read the unit. @throws KindError 404 where the store can't lock
   */
  lock(session: Session, readable: Readable, id: string): Promise<boolean>;
  /**
   * Which of the predicates hold for a unit, whether or not the caller may read it; undefined if there is no such unit.
   */
  evaluate(
    session: Session,
    kind: KindDef,
    id: string,
    predicates: readonly Predicate[],
  ): Promise<readonly boolean[] | undefined>;
}

export interface UnitCreates {
  /**
   * Creates a unit per body, and the units nested in them; all or none. @throws KindError with all faults of all bodies
   */
  create(
    session: Session,
    kind: KindDef,
    bodies: readonly (Body | NotObject)[],
    options?: WriteOptions,
  ): Promise<UnitRow[]>;
}

export interface UnitUpdates {
  /**
   * Changes the parameters in the body; `read` parses it, and may be called more than once. @throws KindError 400, 403,
   * 404, 409, 412
   */
  update(
    session: Session,
    kind: KindDef,
    id: string,
    read: () => MaybePromise<Body>,
    options?: WriteOptions,
  ): Promise<UnitRow>;
}

export interface UnitDeletions {
  /** @throws KindError 403, 404, 409, 412 */
  delete(session: Session, kind: KindDef, id: string, options?: WriteOptions): Promise<void>;
}

/** Writes of many units. @throws KindError 404 where the store cannot do it */
export interface UnitMatchingWrites {
  /** Changes all units that match, or none. @throws KindError 400, 403, 409 */
  updateAll(
    session: Session,
    kind: KindDef,
    query: Parsed<MatchingQuery>,
    read: () => MaybePromise<Body>,
    options?: WriteOptions,
  ): Promise<AffectedUnits>;
  /** Deletes all units that match, or none. @throws KindError as `updateAll` */
  removeAll(
    session: Session,
    kind: KindDef,
    query: Parsed<MatchingQuery>,
    options?: WriteOptions,
  ): Promise<AffectedUnits>;
}

/** @throws KindError 404 where the store cannot do it */
export interface UnitUpserts {
  /**
   * Creates a unit per body, or edits or leaves the one that has the same values of unique parameters; all or none. Needs
   * a transaction at REPEATABLE READ. The rights are those of what happens to each unit.
   * @throws KindError 400, 403, 409
   */
  upsert(
    session: Session,
    kind: KindDef,
    bodies: readonly (Body | NotObject)[],
    query: Parsed<UpsertQuery>,
    options?: UpsertWriteOptions,
  ): Promise<UpsertedUnit[]>;
  /** Looks up the units of an upsert that follows with the same bodies, and without answers. @param rows of all bodies */
  lookUp(
    session: Session,
    kind: KindDef,
    bodies: readonly Body[],
    by: readonly Field[],
    rows: readonly KeyRow[],
  ): Promise<FoundUnits>;
}

/** Where the units of a kind are: in a table, or at a source. */
export interface UnitStore {
  /** The query parameters of lists and of single units. */
  readonly queryNames: Readonly<Record<'list' | 'get' | 'aggregate', readonly QueryName[]>>;
  readonly reads: UnitReads;
  readonly creates: UnitCreates;
  readonly updates: UnitUpdates;
  readonly deletions: UnitDeletions;
  readonly matching: UnitMatchingWrites;
  readonly upserts: UnitUpserts;

  /** @throws KindError 403 for an inactive kind; 404, 503 where the store cannot do the operation */
  checkState(kind: KindDef, scope: Pick<Session, 'project' | 'deployment'>, operation: UnitOperation): void;
  /** Whether the store does not support the operation on units of this kind. */
  lacks(kind: KindDef, project: Project, operation: UnitOperation): boolean;
  /** The isolation level that a write needs; undefined if it needs no transaction, because it is one statement. */
  isolation(
    session: Omit<Session, 'executor'>,
    kind: KindDef,
    operation: 'create' | 'update' | 'delete',
  ): Isolation | undefined;
}
