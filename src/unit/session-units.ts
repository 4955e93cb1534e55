/**
 * Reads and writes units within a session, for functions. Checks and stores are the same as for the endpoints, but the
 * results are objects. Hidden parameters are in them if the caller may read them, but not enumerable, so that they do
 * not get into a response by accident.
 */
import { Injectable } from '@nestjs/common';
import { authorizeForFunction } from '../access/function-access.js';
import { refuseToFunction } from '../access/written-alone.js';
import { parseAggregateQuery } from '../http/route/parse-aggregate-query.js';
import { parseMatchingQuery, parseUpsertQuery } from '../http/route/parse-write-query.js';
import type { QueryParameters } from '../http/route/parse-list-query.js';
import type { Operation } from '../model/built-in-traits.js';
import type { KindDef } from '../model/model.js';
import { expectedVersions } from '../http/answer/etag.js';
import { readJson } from '../http/body/json-pieces.js';
import type { GetOptions, WriteCondition } from '../kit/units.js';
import { EMPTY_QUERY } from '../filter/queries.js';
import type { Filter } from '../filter/filter.ast.js';
import { KindError, refusal } from '../shared/errors.js';
import { isPlainObject, typeName } from '../shared/json.js';
import { LIMITS } from '../shared/limits.js';
import { Behaviors } from './draft/behavior.js';
import { bodyOf, type Body } from './draft/draft.js';
import type { NotObject } from './draft/drafter.js';
import type { Readable, UnitOperation, UnitRow, UpsertResult } from './store/unit-store.js';
import { onlyOne, unitEtag } from './unit-answers.js';
import type { Session } from '../catalog/session/session.js';
import { unknownUnit } from './store/unit-ids.js';
import { concealHidden, type UnitObject } from './hidden-values.js';
import { ReadCommands } from './read.commands.js';
import { UnitStores } from './unit-stores.js';
import { planWrittenUnits, shownUnits } from './written-units.js';

/** A unit with its ETag, which is not enumerable. */
type UnitWithEtag = UnitObject & { readonly etag: string };

interface UpsertedObject {
  readonly result: UpsertResult;
  readonly unit: UnitWithEtag;
}

@Injectable()
export class SessionUnits {
  constructor(
    private readonly reader: ReadCommands,
    private readonly stores: UnitStores,
    private readonly behaviors: Behaviors,
  ) {}

  async list(
    session: Session,
    kindId: string,
    parameters: QueryParameters,
  ): Promise<{ count: number; items: UnitObject[] }> {
    const readable = this.#open(session, kindId, 'list');
    const { count, items } = await this.reader.listIn(session, readable, parameters);
    const units = (await readJson(items, session.project.schema)) as UnitObject[];
    return { count, items: units.map((unit) => concealHidden(session.model, readable.kind.id, unit)) };
  }

  async aggregate(
    session: Session,
    kindId: string,
    parameters: QueryParameters,
  ): Promise<{ count: number; items: UnitObject[] }> {
    const readable = this.#open(session, kindId, 'aggregate');
    const store = this.stores.of(readable.kind);
    const { count, items, hidden } = await store.reads.aggregate(
      session,
      readable,
      parseAggregateQuery(parameters, store.queryNames.aggregate),
    );
    const groups = (await readJson(items, session.project.schema)) as UnitObject[];
    for (const group of groups) for (const name of hidden) Object.defineProperty(group, name, { enumerable: false });
    return { count, items: groups };
  }

  /** Undefined if the unit does not exist, or the caller of the session may not read it. */
  async find(session: Session, kindId: string, id: string, options?: GetOptions): Promise<UnitWithEtag | undefined> {
    const { kind } = this.#open(session, kindId, 'get');
    const row = await this.reader.findRow(session, kind, id, options);
    return row && unitObjectOf(session, kind, row);
  }

  async get(session: Session, kindId: string, id: string, options?: GetOptions): Promise<UnitWithEtag> {
    const found = await this.find(session, kindId, id, options);
    if (!found) throw unknownUnit(this.#open(session, kindId, 'get').kind, id);
    return found;
  }

  /** The units of these ids that the caller may read, by id. */
  async getAll(session: Session, kindId: string, ids: readonly string[]): Promise<Map<string, UnitObject>> {
    const readable = this.#open(session, kindId, 'list');
    const { kind } = readable;
    if (!kind.storage.hasTable || ids.length === 1) {
      const units = await Promise.all(ids.map((id) => this.find(session, kindId, id)));
      return new Map(units.flatMap((unit) => (unit ? [[String(unit['id']), unit] as const] : [])));
    }
    const query = { ...EMPTY_QUERY, filter: hasId(kind, ids), count: 'none', limit: ids.length } as const;
    try {
      const { items } = await this.stores.of(kind).reads.list(session, readable, { query, faults: [] });
      const units = (await readJson(items, session.project.schema)) as UnitWithEtag[];
      return new Map(units.map((unit) => [String(unit['id']), concealHidden(session.model, kind.id, unit)] as const));
    } catch (error) {
      if (!(error instanceof KindError) || error.code !== 'answer.too_large') throw error;
      const half = Math.ceil(ids.length / 2);
      const first = await this.getAll(session, kindId, ids.slice(0, half));
      return new Map([...first, ...(await this.getAll(session, kindId, ids.slice(half)))]);
    }
  }

  /** @param parameters what is answered of the units */
  async createAll(
    session: Session,
    kindId: string,
    values: readonly unknown[],
    parameters: QueryParameters,
    { bulk }: { readonly bulk: boolean },
  ): Promise<UnitWithEtag[]> {
    const { kind, grant } = this.#openToWrite(session, kindId, 'create');
    const bodies = manyBodies(values, bulk);
    const plan = planWrittenUnits(session, kind, parameters);
    const access = grant.predicate;
    const written = await this.stores.of(kind).creates.create(session, kind, bodies, { bulk, access });
    const units: UnitWithEtag[] = [];
    for (const row of await shownUnits(session, plan, written)) units.push(await unitObjectOf(session, kind, row));
    return units;
  }

  async update(
    session: Session,
    kindId: string,
    id: string,
    values: unknown,
    { ifMatch, parameters }: WriteCondition & { readonly parameters: QueryParameters },
  ): Promise<UnitWithEtag> {
    const { kind, grant } = this.#openToWrite(session, kindId, 'update');
    const body = bodyOf(objectGiven(values));
    const plan = planWrittenUnits(session, kind, parameters);
    const conditions = { access: grant.predicate, tags: expectedVersions(ifMatch) };
    const written = await this.stores.of(kind).updates.update(session, kind, id, () => body, conditions);
    return unitObjectOf(session, kind, onlyOne(await shownUnits(session, plan, [written])));
  }

  /** Creates units, or edits or leaves those that have the same values of unique parameters; all or none. */
  async upsertAll(
    session: Session,
    kindId: string,
    values: readonly unknown[],
    parameters: QueryParameters,
    { bulk }: { readonly bulk: boolean },
  ): Promise<UpsertedObject[]> {
    const { kind } = this.#openToWrite(session, kindId, 'create', ['create', 'update']);
    const plan = planWrittenUnits(session, kind, parameters);
    const query = parseUpsertQuery(parameters);
    const written = await this.stores.of(kind).upserts.upsert(session, kind, manyBodies(values, bulk), query, { bulk });
    const rows = await shownUnits(session, plan, written);
    const units: UpsertedObject[] = [];
    for (const row of rows) units.push({ result: row.result, unit: await unitObjectOf(session, kind, row) });
    return units;
  }

  /** Changes all units that match a filter, or none, and returns how many. */
  async updateAll(session: Session, kindId: string, values: unknown, parameters: QueryParameters): Promise<number> {
    const { kind, grant } = this.#openToWrite(session, kindId, 'update');
    const body = bodyOf(objectGiven(values));
    const query = parseMatchingQuery(parameters);
    const access = { access: grant.predicate };
    return (await this.stores.of(kind).matching.updateAll(session, kind, query, () => body, access)).count;
  }

  /** Deletes all units that match a filter, or none, and returns how many. */
  async removeAll(session: Session, kindId: string, parameters: QueryParameters): Promise<number> {
    const { kind, grant } = this.#openToWrite(session, kindId, 'delete');
    const query = parseMatchingQuery(parameters);
    return (await this.stores.of(kind).matching.removeAll(session, kind, query, { access: grant.predicate })).count;
  }

  async remove(session: Session, kindId: string, id: string, { ifMatch }: WriteCondition = {}): Promise<void> {
    const { kind, grant } = this.#openToWrite(session, kindId, 'delete');
    const conditions = { access: grant.predicate, tags: expectedVersions(ifMatch) };
    await this.stores.of(kind).deletions.delete(session, kind, id, conditions);
  }

  /** Whether writes of the kind are part of the transaction of the session. */
  isTransactional({ model }: Session, kindId: string): boolean {
    return model.kinds.get(kindId)?.storage.transactional ?? true;
  }

  /** @param rights of which the caller needs one */
  #open(session: Session, kindId: string, operation: UnitOperation, rights?: readonly Operation[]): Readable {
    const right = operation === 'list' || operation === 'aggregate' || operation === 'get' ? 'read' : operation;
    const readable = authorizeForFunction(session.model, kindId, rights ?? right, session.caller);
    this.stores.of(readable.kind).checkState(readable.kind, session, operation);
    return readable;
  }

  #openToWrite(
    session: Session,
    kindId: string,
    operation: 'create' | 'update' | 'delete',
    rights?: readonly Operation[],
  ): Readable {
    const readable = this.#open(session, kindId, operation, rights);
    refuseToFunction(readable.kind, operation, session.caller);
    if (this.behaviors.of(readable.kind, session).some((behavior) => behavior.definition)) {
      throw refusal('kind.not_allowed_here', `'${kindId}' is part of the model, which functions do not change`);
    }
    if (operation === 'create' && readable.kind.traits.secret !== undefined) {
      throw refusal('kind.not_allowed_here', `Units of '${kindId}' have secrets, which no function gets`);
    }
    return readable;
  }
}

function hasId({ keyField }: KindDef, ids: readonly string[]): Filter {
  const items = ids.map((text) => ({ type: 'quoted', text, at: 1 }) as const);
  return { op: 'in', path: { segments: [keyField.id], at: 1 }, value: { type: 'list', items, at: 1 }, at: 1 };
}

/** As in JSON, properties that are undefined count as absent. */
function withoutUndefined(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

function objectGiven(values: unknown): Record<string, unknown> {
  if (isPlainObject(values)) return withoutUndefined(values);
  throw refusal('body.not_object', `The values must be an object, got ${typeName(values)}`);
}

/** @throws KindError 400 for too many, and for a single value that is not an object */
function manyBodies(values: readonly unknown[], bulk: boolean): (Body | NotObject)[] {
  if (!bulk) return values.map((each) => bodyOf(objectGiven(each)));
  if (values.length > LIMITS.bulk) {
    throw refusal('body.too_many', `At most ${LIMITS.bulk} units at once, got ${values.length}`);
  }
  return values.map((each) => (isPlainObject(each) ? bodyOf(withoutUndefined(each)) : notObject(each)));
}

function notObject(value: unknown): NotObject {
  return { actualType: typeName(value) };
}

/** The unit with its ETag, unless it has a parameter of that name. */
async function unitObjectOf({ model, project }: Session, kind: KindDef, row: UnitRow): Promise<UnitWithEtag> {
  const unit = (await readJson(row.body, project.schema)) as UnitWithEtag;
  if (!Object.hasOwn(unit, 'etag')) Object.defineProperty(unit, 'etag', { value: unitEtag(kind, row) });
  return concealHidden(model, kind.id, unit);
}
