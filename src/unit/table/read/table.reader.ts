/** Reads units of tables: plans the query for the caller, runs one statement, and returns its JSON unparsed. */
import { Injectable } from '@nestjs/common';
import { type AggregateQuery, EMPTY_QUERY } from '../../../filter/queries.js';
import type { ParsedQuery, RepeatableQuery } from '../../../http/route/parse-list-query.js';
import type { KindDef } from '../../../model/model.js';
import type { Predicate } from '../../../model/predicate/predicate.js';
import { isCallerError, type KindError } from '../../../shared/errors.js';
import { scalarText } from '../../../shared/json.js';
import type { ReadPlan } from '../../../sql/list/select.sql.js';
import type { GroupPage, Readable, ShownUnit, UnitPage, UnitRow, UnitReads } from '../../store/unit-store.js';
import type { Session } from '../../../catalog/session/session.js';
import { type KeyText, noUnit, parseKey, readKeyValue, unknownUnit } from '../../store/unit-ids.js';
import { showsMore } from '../../query/answer.plan.js';
import { planAggregate } from '../../query/aggregate.plan.js';
import { pageCursor } from '../../query/cursor.js';
import { planBoth, type PlanContext, planContextOf, planGet, planList, planQuery } from '../../query/list.plan.js';
import { withListAccess } from '../../query/list-access.js';
import { queryKey, RepeatedQueries } from '../../query/repeated-queries.js';
import {
  furtherOfList,
  PageRepository,
  renderAggregate,
  type ReadyAggregate,
  renderList,
  type ReadyPage,
} from './page.repository.js';
import { evaluateUnit, fetchUnit, fetchUnitBy, lockUnitAsEdit } from '../unit.repository.js';
import { findUnit } from '../rights.js';
import { planLinksColumn, type LoadedQuery } from '../../query/loaded-links.plan.js';
import { readsLinks } from '../../query/reachable-kinds.js';

@Injectable()
export class TableReader implements UnitReads {
  readonly #lists = new RepeatedQueries<ReadyPage>();
  readonly #aggregates = new RepeatedQueries<ReadyAggregate>();

  constructor(private readonly pages: PageRepository) {}

  /**
   * The stages of a list whose query is parsed: it is planned (names become fields, the rights a predicate), rendered to
   * one statement, and run, which answers the JSON of the page. A query that was requested before, with the same rights
   * and model, has its statement already.
   * @param extra a further condition for the units of the list
   */
  async list(session: Session, readable: Readable, parsed: ParsedQuery, extra?: Predicate): Promise<UnitPage> {
    const { executor, model } = session;
    const { kind } = readable;
    const key = extra || !parsed.parameters ? undefined : queryKey(session, readable, parsed.parameters);
    const repeated = key && this.#lists.find(key);
    if (repeated) {
      const plan = () => planQuery(parsed, (query) => withListAccess(planList(query, planContext(session, readable))));
      const { count, items } = await this.pages.fetchRepeated(executor, repeated, furtherOfList(plan), model);
      return { count, items };
    }
    const context = planContext(session, readable);
    const { query } = parsed;
    const read = () => planQuery(parsed, (asked) => withListAccess(planList(asked, context, extra)));
    const plan = query.loadLinks ? await this.#withLinks(session, kind, query, read) : read();
    const list = renderList(plan);
    const isRepeatable = !plan.cursor && !(query.loadLinks && readsLinks(session));
    if (key && isRepeatable) this.#lists.note(key, list);
    const further = furtherOfList(() => plan);
    const { count, items, last } = await this.pages.fetchPage(executor, list, further, model);
    return { count, items, ...(plan.cursor && { next: last && pageCursor(plan, last) }) };
  }

  async aggregate(session: Session, readable: Readable, parsed: RepeatableQuery<AggregateQuery>): Promise<GroupPage> {
    const { project, executor, model } = session;
    const key = parsed.parameters && queryKey(session, readable, parsed.parameters);
    const repeated = key && this.#aggregates.find(key);
    if (repeated) {
      return { ...(await this.pages.fetchRepeatedAggregate(executor, repeated, model)), hidden: repeated.hidden };
    }
    const context = planContext(session, readable);
    const plan = planQuery(parsed, (query) => planAggregate(query, [context], project.schema));
    const aggregate = renderAggregate(plan);
    if (key) this.#aggregates.note(key, aggregate);
    return { ...(await this.pages.fetchAggregate(executor, aggregate, model)), hidden: aggregate.hidden };
  }

  get(session: Session, readable: Readable, id: string, parsed: ParsedQuery): Promise<ShownUnit> {
    const { kind } = readable;
    const key = parseKey(kind, id);
    return this.#show(session, readable, parsed, {
      fetch: (plan) => (key === undefined ? undefined : fetchUnit(session, plan, key)),
      unknown: () => unknownUnit(kind, id),
    });
  }

  /** @throws KindError 400 also if the parameter is not unique */
  async getBy(session: Session, readable: Readable, key: KeyText, parsed: ParsedQuery): Promise<ShownUnit> {
    const { kind } = readable;
    const found = readKeyValue(key, kind, session.caller, session.model);
    if (found.isId) return this.get(session, readable, scalarText(found.value), parsed);
    return this.#show(session, readable, parsed, {
      fetch: (plan) => fetchUnitBy(session, plan, found),
      unknown: () => noUnit(key.value, `as '${key.parameter}' of '${kind.id}'`),
    });
  }

  async #show(
    session: Session,
    readable: Readable,
    parsed: ParsedQuery,
    { fetch, unknown }: Wanted,
  ): Promise<ShownUnit> {
    const { kind } = readable;
    let plan: ReadPlan;
    try {
      const context = planContext(session, readable);
      const read = () => planQuery(parsed, (query) => planGet(query, context));
      const asked = { ...parsed.query, limit: 1 };
      // Most requests load no links. They skip the `await`, because it would slow down every get.
      plan = asked.loadLinks ? await this.#withLinks(session, kind, asked, read) : read();
    } catch (error) {
      if (isCallerError(error) && !(await fetch(planGet(EMPTY_QUERY, planContext(session, readable))))) throw unknown();
      throw error;
    }
    const unit = await fetch(plan);
    if (!unit) throw unknown();
    return { tag: unit.tag, body: unit.body, more: showsMore(plan) };
  }

  /** A plan with the column of `load_links`. */
  async #withLinks<Plan extends ReadPlan>(
    session: Session,
    kind: KindDef,
    query: LoadedQuery,
    read: () => Plan,
  ): Promise<Plan> {
    const [plan, loaded] = await planBoth(read, () => planLinksColumn(session, query));
    return { ...plan, also: loaded(kind) };
  }

  find(session: Session, readable: Readable, id: string): Promise<UnitRow | undefined> {
    return findUnit(session, readable, id);
  }

  async lock(session: Session, { kind, grant }: Readable, id: string): Promise<boolean> {
    const key = parseKey(kind, id);
    if (key === undefined) return false;
    const { project, model } = session;
    const plan = { schema: project.schema, kind, version: model.version, id: key, access: grant.predicate };
    return lockUnitAsEdit(session, { ...plan, tags: undefined });
  }

  async evaluate(
    session: Session,
    kind: KindDef,
    id: string,
    predicates: readonly Predicate[],
  ): Promise<readonly boolean[] | undefined> {
    const key = parseKey(kind, id);
    return key === undefined ? undefined : evaluateUnit(session, kind, key, predicates);
  }
}

/** One unit that is wanted. */
interface Wanted {
  readonly fetch: (plan: ReadPlan) => Promise<UnitRow | undefined> | undefined;
  /** The error if there is none. */
  readonly unknown: () => KindError;
}

function planContext(session: Session, { kind, grant }: Readable): PlanContext {
  return planContextOf(session, { kind, access: grant.predicate });
}
