/** Reads the kinds of a group, their struct, and their units as one list. The caller must be allowed to read the group. */
import { Injectable } from '@nestjs/common';
import { grantOf, authorizeKind } from '../access/access.js';
import { FULL_GRANT } from '../access/level.js';
import type { Answer } from '../http/answer/answer.js';
import { EMPTY_QUERY, type ListQuery } from '../filter/queries.js';
import { type OrderBy, printOrder } from '../filter/order.js';
import { parseAggregateQuery } from '../http/route/parse-aggregate-query.js';
import { parseListQuery, type ParsedQuery, type QueryParameters } from '../http/route/parse-list-query.js';
import { GET_QUERY, UNITS_QUERY } from '../http/route/query-names.js';
import { getGroup, type GroupDef, type KindDef } from '../model/model.js';
import { isCallerError } from '../shared/errors.js';
import type { AnyKindPlan, UnionPlan } from '../sql/list/union.sql.js';
import { explainablePage } from '../unit/tuning/explained-page.js';
import { planAggregate } from '../unit/query/aggregate.plan.js';
import { decodeCursor, encodeCursor, positionsOf } from '../unit/query/cursor.js';
import { planParts, showsKind, includingKind, type UnionParts } from '../unit/query/union.plan.js';
import { showsMore } from '../unit/query/answer.plan.js';
import { unitAnswer } from '../unit/unit-answers.js';
import { reading, type Command, type Plan } from '../run/command.js';
import type { Session } from '../catalog/session/session.js';
import { Structs } from '../unit/struct.js';
import { noUnit, parseKey } from '../unit/store/unit-ids.js';
import type { MixedPage } from '../unit/store/unit-store.js';
import { countFor, planBoth, type PlanContext, planContextOf, planQuery } from '../unit/query/list.plan.js';
import { ReadCommands, shownBy } from '../unit/read.commands.js';
import { withListAccess } from '../unit/query/list-access.js';
import { queryKey, RepeatedQueries } from '../unit/query/repeated-queries.js';
import {
  furtherOfUnion,
  PageRepository,
  renderAggregate,
  type ReadyAggregate,
  type ReadyPage,
  renderUnion,
} from '../unit/table/read/page.repository.js';
import { fetchAnyUnit } from '../unit/table/unit.repository.js';
import { planLinksColumn } from '../unit/query/loaded-links.plan.js';
import { readsLinks } from '../unit/query/reachable-kinds.js';
import { GROUP_KIND, KIND_KIND } from '../model/built-in-traits.js';

@Injectable()
export class GroupReader {
  readonly #lists = new RepeatedQueries<ReadyPage & Pick<MixedPage, 'showsKinds'>>();
  readonly #aggregates = new RepeatedQueries<ReadyAggregate>();

  constructor(
    private readonly pages: PageRepository,
    private readonly reader: ReadCommands,
    private readonly structs: Structs,
  ) {}

  struct(groupId: string, parameters: QueryParameters): Command {
    const run = async (session: Session): Promise<Answer> =>
      this.structs.ofGroup(session, await this.#getGroup(session, groupId), parameters);
    return readingGroups({ checked: true, run });
  }

  /** The kinds that the group's list names. */
  kinds(groupId: string, parameters: QueryParameters): Command {
    return this.reader.listWhere(KIND_KIND, parameters, async (kind, session) => {
      const { kinds } = await this.#getGroup(session, groupId);
      return { op: 'in', target: { field: kind.keyField, keys: [] }, values: kinds };
    });
  }

  list(groupId: string, parameters: QueryParameters): Command {
    const run = (session: Session): Promise<Answer> => {
      const list = (within: Session, query: QueryParameters) => this.listIn(within, groupId, query);
      return explainablePage(session, parameters, list, kindsOf(session, groupId));
    };
    return readingGroups({ shows: shownBy(parameters), mayBeOlder: true, run });
  }

  /** A page within a session. */
  async listIn(session: Session, groupId: string, parameters: QueryParameters): Promise<MixedPage> {
    const { project, model, executor, caller } = session;
    const group = await this.#getGroup(session, groupId);
    const key = queryKey(session, { kind: { id: `group ${groupId}` }, grant: FULL_GRANT }, parameters);
    const repeated = key && this.#lists.find(key);
    if (repeated) {
      const { count, items } = await this.pages.fetchRepeated(executor, repeated, {}, model);
      return { count, items, showsKinds: repeated.showsKinds };
    }
    const contexts = contextsOf(session, group);
    const parsed = parseListQuery(parameters, UNITS_QUERY);
    const { query } = parsed;
    const parts = await this.#withLinks(session, query, () =>
      planQuery(parsed, (list) => {
        const read = inOrder(list, contexts);
        const planned = planParts(caller.seesHidden ? includingKind(read) : read, contexts);
        return { ...planned, parts: planned.parts.map((part) => withListAccess(part)) };
      }),
    );
    const plan: UnionPlan = {
      schema: project.schema,
      ...parts,
      limit: query.limit,
      offset: query.offset,
      count: countFor(query, parts.parts),
      cursor: query.cursor === undefined ? undefined : groupCursor(query.cursor, groupId, query, parts),
    };
    const list = { ...renderUnion(plan), showsKinds: showsKind(query) };
    const isRepeatable = !plan.cursor && plan.count !== 'estimated' && !(query.loadLinks && readsLinks(session));
    if (key && isRepeatable) this.#lists.note(key, list);
    const { count, items, last } = await this.pages.fetchPage(
      executor,
      list,
      furtherOfUnion(() => plan),
      model,
    );
    const page = { count, items, showsKinds: list.showsKinds };
    if (!plan.cursor) return page;
    return { ...page, next: last && encodeCursor(groupSignature(groupId, query, parts), last) };
  }

  aggregate(groupId: string, parameters: QueryParameters): Command {
    const run = async (session: Session): Promise<Answer> => {
      const { model } = session;
      const group = await this.#getGroup(session, groupId);
      const aggregate = ({ executor, project }: Session, asked: QueryParameters) => {
        const key = queryKey(session, { kind: { id: `group ${groupId}` }, grant: FULL_GRANT }, asked);
        const repeated = key && this.#aggregates.find(key);
        if (repeated) return this.pages.fetchRepeatedAggregate(executor, repeated, model);
        const contexts = contextsOf(session, group);
        const parsed = parseAggregateQuery(asked);
        const rendered = renderAggregate(planQuery(parsed, (query) => planAggregate(query, contexts, project.schema)));
        if (key) this.#aggregates.note(key, rendered);
        return this.pages.fetchAggregate(executor, rendered, model);
      };
      return explainablePage(session, parameters, aggregate, kindsOf(session, groupId));
    };
    return readingGroups({ mayBeOlder: true, run });
  }

  get(groupId: string, unitId: string, parameters: QueryParameters): Command {
    const run = async (session: Session): Promise<Answer> => {
      const contexts = contextsOf(session, await this.#getGroup(session, groupId));
      const find = async (parsed: ParsedQuery) => {
        const parts = await this.#withLinks(session, parsed.query, () =>
          planQuery(parsed, (list) => planParts({ ...list, order: [], filter: undefined }, contexts)),
        );
        const plans = keyed(parts, unitId);
        const found = await fetchAnyUnit(session, plans);
        const plan = found && plans[found.at];
        if (!plan) throw noUnit(unitId, `in the group '${groupId}'`);
        return unitAnswer(plan.kind, found, showsMore(plan));
      };
      try {
        return await find(parseListQuery(parameters, GET_QUERY));
      } catch (error) {
        // A missing unit is reported before faults of the query.
        if (isCallerError(error) && error.code !== 'unit.unknown') await find({ query: EMPTY_QUERY, faults: [] });
        throw error;
      }
    };
    return readingGroups({ shows: shownBy(parameters), run });
  }

  /** @throws KindError 404 for a group that does not exist, or that the caller may not read */
  async #getGroup(session: Session, id: string): Promise<GroupDef> {
    const { kind, grant } = authorizeKind(session.model, GROUP_KIND, 'read', session.caller);
    if (!grant.predicate) return getGroup(session.model, id);
    return getGroup(session.model, id, (await this.reader.findRow(session, kind, id)) ? [id] : []);
  }

  async #withLinks(session: Session, query: ListQuery, plan: () => UnionParts): Promise<UnionParts> {
    if (!query.loadLinks) return plan();
    const [planned, loaded] = await planBoth(plan, () => planLinksColumn(session, query));
    return {
      ...planned,
      parts: planned.parts.map((part) => ({ ...part, read: { ...part.read, also: loaded(part.kind) } })),
    };
  }
}

/** A command of callers who may read groups. */
function readingGroups(plan: Omit<Plan, 'effect'>): Command {
  return reading(({ model, caller }) => {
    authorizeKind(model, GROUP_KIND, 'read', caller);
    return plan;
  });
}

/** The kinds of a group; none of an unknown one. */
function kindsOf({ model }: Session, groupId: string): readonly KindDef[] {
  return (model.groups.get(groupId)?.kinds ?? []).flatMap((id) => model.kinds.get(id) ?? []);
}

/** The kinds of a group whose units the caller may read, in their order. */
function contextsOf(session: Session, { kinds }: GroupDef): PlanContext[] {
  const { model, caller } = session;
  return kinds.flatMap((id) => {
    const kind = model.kinds.get(id);
    const grant = kind?.active && kind.storage.unions ? grantOf(kind, 'read', caller, model) : undefined;
    return kind && grant ? [planContextOf(session, { kind, access: grant.predicate })] : [];
  });
}

const OLDEST_FIRST: OrderBy = {
  value: { type: 'path', path: { segments: ['inserted_at'], at: 1 }, at: 1 },
  descending: false,
};

/** The default order is oldest first. Generated ids are ordered by time already, natural keys are not. */
function inOrder(query: ListQuery, contexts: readonly PlanContext[]): ListQuery {
  if (query.order.length > 0 || contexts.every(({ kind }) => kind.key === 'uuid')) return query;
  return { ...query, order: [OLDEST_FIRST] };
}

function keyed({ parts }: UnionParts, unitId: string): AnyKindPlan[] {
  return parts.flatMap(({ kind, read }) => {
    const key = parseKey(kind, unitId);
    return key === undefined ? [] : [{ ...read, key }];
  });
}

function groupSignature(groupId: string, { order }: ListQuery, { parts }: UnionParts): unknown {
  return ['group', groupId, parts.map(({ kind }) => kind.id), order.map(printOrder), positionsOf(parts)];
}

function groupCursor(text: string, groupId: string, query: ListQuery, parts: UnionParts): readonly (string | null)[] {
  return text === '' ? [] : decodeCursor(text, groupSignature(groupId, query, parts), parts.order.length + 2);
}
