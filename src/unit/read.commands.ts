/** The commands that read units: they check the rights of the caller and the state of the kind, then call the store. */
import { Injectable } from '@nestjs/common';
import { grantOf, authorizeKind } from '../access/access.js';
import { pageAnswer, type Answer } from '../http/answer/answer.js';
import { readJson } from '../http/body/json-pieces.js';
import { parseAggregateQuery } from '../http/route/parse-aggregate-query.js';
import { isPlainQuery, parseListQuery, type QueryParameters } from '../http/route/parse-list-query.js';
import { LIST_QUERY, PLAIN_QUERY } from '../http/route/query-names.js';
import type { KindDef } from '../model/model.js';
import type { Predicate } from '../model/predicate/predicate.js';
import { isCallerError } from '../shared/errors.js';
import type { MaybePromise } from '../shared/work-in-pieces.js';
import { reading, type Command } from '../run/command.js';
import type { Session, Shown } from '../catalog/session/session.js';
import { type KeyText, unknownUnit } from './store/unit-ids.js';
import { explainablePage } from './tuning/explained-page.js';
import type { Readable, UnitOperation, UnitPage, UnitRow, UnitStore } from './store/unit-store.js';
import { unitAnswer } from './unit-answers.js';
import { TableReader } from './table/read/table.reader.js';
import { UnitStores } from './unit-stores.js';

@Injectable()
export class ReadCommands {
  constructor(
    private readonly tables: TableReader,
    private readonly stores: UnitStores,
  ) {}

  list(kindId: string, parameters: QueryParameters): Command {
    return this.#read(kindId, 'list', shownBy(parameters), (session, readable) => {
      const { storage } = readable.kind;
      if (!storage.hasTable) return this.listIn(session, readable, parameters).then(pageAnswer);
      const list = (within: Session, query: QueryParameters) => this.listIn(within, readable, query);
      return explainablePage(session, parameters, list, [readable.kind]);
    });
  }

  aggregate(kindId: string, parameters: QueryParameters): Command {
    return this.#read(kindId, 'aggregate', undefined, (session, readable, store) => {
      const aggregate = (within: Session, query: QueryParameters) =>
        store.reads.aggregate(within, readable, parseAggregateQuery(query, store.queryNames.aggregate));
      if (!readable.kind.storage.hasTable) return aggregate(session, parameters).then(pageAnswer);
      return explainablePage(session, parameters, aggregate, [readable.kind]);
    });
  }

  get(kindId: string, unitId: string, parameters: QueryParameters): Command {
    return this.#read(kindId, 'get', shownBy(parameters), (session, readable, store) => {
      const query = parseListQuery(parameters, store.queryNames.get);
      return store.reads
        .get(session, readable, unitId, query)
        .then((unit) => unitAnswer(readable.kind, unit, unit.more));
    });
  }

  getBy(kindId: string, key: KeyText, parameters: QueryParameters): Command {
    return this.#read(kindId, 'get', shownBy(parameters), async (session, readable, store) => {
      const unit = await store.reads.getBy(session, readable, key, parseListQuery(parameters, store.queryNames.get));
      return unitAnswer(readable.kind, unit, unit.more);
    });
  }

  #read(
    kindId: string,
    operation: UnitOperation,
    shows: Shown | undefined,
    work: (session: Session, readable: Readable, store: UnitStore) => Promise<Answer>,
  ): Command {
    return reading((opened) => {
      const readable = authorizeKind(opened.model, kindId, 'read', opened.caller);
      const store = this.stores.of(readable.kind);
      store.checkState(readable.kind, opened, operation);
      return {
        shows,
        once: !readable.kind.storage.transactional,
        mayBeOlder: operation !== 'get',
        run: (session) => work(session, readable, store),
      };
    });
  }

  /** Lists units that satisfy a condition made from the model, such as the kinds of a group. */
  listWhere(
    kindId: string,
    parameters: QueryParameters,
    where: (kind: KindDef, session: Session) => Promise<Predicate>,
  ): Command {
    return reading(({ model, caller }) => {
      const readable = authorizeKind(model, kindId, 'read', caller);
      const run = async (session: Session): Promise<Answer> => {
        const listed = await where(readable.kind, session);
        const query = parseListQuery(parameters, LIST_QUERY);
        return pageAnswer(await this.tables.list(session, readable, query, listed));
      };
      return { run };
    });
  }

  /** A page of units within a session. Rights and state must have been checked. */
  listIn(session: Session, readable: Readable, parameters: QueryParameters): Promise<UnitPage> {
    const store = this.stores.of(readable.kind);
    return store.reads.list(session, readable, parseListQuery(parameters, store.queryNames.list));
  }

  /** One unit as an object, within a session; undefined if it does not exist or the caller may not read it. */
  async find(session: Session, kind: KindDef, unitId: string): Promise<Record<string, unknown> | undefined> {
    const unit = await this.findRow(session, kind, unitId);
    return unit && ((await readJson(unit.body, session.project.schema)) as Record<string, unknown>);
  }

  /** The same as JSON text. @param options.lock see `UnitReads.lock` */
  async findRow(
    session: Session,
    kind: KindDef,
    unitId: string,
    { lock = false }: { readonly lock?: boolean } = {},
  ): Promise<UnitRow | undefined> {
    const { reads } = this.stores.of(kind);
    const grant = grantOf(kind, 'read', session.caller, session.model);
    if (!grant || (lock && !(await reads.lock(session, { kind, grant }, unitId)))) return undefined;
    return reads.find(session, { kind, grant }, unitId);
  }

  /** @throws KindError 404 if the unit does not exist or the caller may not read it */
  async checkExists(session: Session, kind: KindDef, unitId: string): Promise<void> {
    if (!(await this.findRow(session, kind, unitId))) throw unknownUnit(kind, unitId);
  }

  /** Plans a query about a unit. A missing unit is reported before faults of the query. @throws KindError 404 */
  async planFor<Plan>(session: Session, kind: KindDef, unitId: string, plan: () => MaybePromise<Plan>): Promise<Plan> {
    try {
      return await plan();
    } catch (error) {
      if (isCallerError(error)) await this.checkExists(session, kind, unitId);
      throw error;
    }
  }
}

/** What a read with the query shows. */
export function shownBy(parameters: QueryParameters): Shown | undefined {
  return isPlainQuery(parameters, PLAIN_QUERY) ? 'units' : undefined;
}
