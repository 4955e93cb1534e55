/** Reads the units that can be reached from a unit over links, and the shortest path to one of them. */
import { Injectable } from '@nestjs/common';
import { checkHasTable, authorizeKind } from '../../access/access.js';
import {
  parseListQuery,
  type Parsed,
  type ParsedQuery,
  type QueryParameters,
} from '../../http/route/parse-list-query.js';
import { parsePathQuery, type PathQuery } from '../../http/route/parse-path-query.js';
import { WALK_QUERY } from '../../http/route/query-names.js';
import { refusal, type KindError } from '../../shared/errors.js';
import { scalarText, type Json } from '../../shared/json.js';
import { LIMITS } from '../../shared/limits.js';
import type { LinkEnd } from '../../sql/link/link-ends.sql.js';
import { identityOf } from '../../sql/statement-template.js';
import type { ShortestPathPlan } from '../../sql/walk/shortest-path.sql.js';
import { explainablePage } from '../../unit/tuning/explained-page.js';
import { reading, type Command } from '../../run/command.js';
import type { Session } from '../../catalog/session/session.js';
import { requireKey, unknownUnit } from '../../unit/store/unit-ids.js';
import type { MixedPage, Readable } from '../../unit/store/unit-store.js';
import { ReadCommands } from '../../unit/read.commands.js';
import { planLinksColumn } from '../../unit/query/loaded-links.plan.js';
import {
  type ExpectedKinds,
  notLinked,
  type TraversableKinds,
  readsLinks,
  traversableKinds,
  withExpectedKinds,
} from '../../unit/query/reachable-kinds.js';
import { queryKey, RepeatedQueries, type QueryKey } from '../../unit/query/repeated-queries.js';
import { PageRepository, renderWalk, type ReadyWalk, type WalkRow } from '../../unit/table/read/page.repository.js';
import { showsKind } from '../../unit/query/union.plan.js';
import { parseDirection } from '../link.plan.js';
import { loading, nextCursor, planWalk, type From, type PlannedWalk } from './walk.plan.js';

/** A unit, as the request names it. */
interface NamedUnit {
  readonly kind: string;
  readonly unit: string;
}

interface WalkPath extends NamedUnit {
  readonly direction: string;
}

/** A traversal whose statement is ready, and how its answer is made. */
interface PreparedWalk extends ReadyWalk {
  readonly showsKinds: boolean;
  /** Makes the cursor of the next page; undefined for a traversal without one. */
  readonly next?: (last: readonly (string | null)[]) => string;
}

interface Walked {
  readonly walk: PreparedWalk;
  readonly row: WalkRow;
}

interface PlannedPath {
  readonly plan: ShortestPathPlan;
  /** The id of the target, as the request names it. */
  readonly targetId: string;
}

@Injectable()
export class LinkReader {
  readonly #repeated = new RepeatedQueries<PreparedWalk>();

  constructor(
    private readonly pages: PageRepository,
    private readonly reader: ReadCommands,
  ) {}

  list(path: WalkPath, parameters: QueryParameters): Command {
    return explainable(path, parameters, (session, query) => this.listIn(session, path, query));
  }

  shortestPath(start: NamedUnit, parameters: QueryParameters): Command {
    return explainable(start, parameters, (session, query) => this.shortestPathIn(session, start, query));
  }

  /** A page within a session. */
  async listIn(session: Session, path: WalkPath, parameters: QueryParameters): Promise<MixedPage> {
    const { model } = session;
    const readable = authorizeKind(model, path.kind, 'read', session.caller);
    const direction = parseDirection(readable.kind, path.direction);
    const from: From = { start: endAt(readable, path.unit), direction };
    const parsed = parseListQuery(parameters, WALK_QUERY);
    const { row, walk } = await withExpectedKinds(model, (expected) =>
      this.#walk(session, from, parsed, path.unit, expected),
    );
    if (!row.found) throw unknownUnit(readable.kind, path.unit);
    if (row.over) throw tooFar();
    const { count, items, last } = row;
    const page = { count, items, showsKinds: walk.showsKinds };
    return walk.next ? { ...page, next: last && walk.next(last) } : page;
  }

  async #walk(
    session: Session,
    from: From,
    parsed: ParsedQuery,
    unit: string,
    expected: ExpectedKinds,
  ): Promise<Walked> {
    const traversable = traversableKinds(session);
    const passable = traversable instanceof Promise ? await traversable : traversable;
    const key = this.#keyOf(session, from, parsed, passable, expected);
    const repeated = key && this.#repeated.find(key);
    const plan = (): PlannedWalk => planWalk(parsed, session, from, passable, expected);
    const walk = repeated ?? (await this.#prepare(session, from, unit, plan));
    if (key && !repeated && !walk.next) this.#repeated.note(key, walk);
    return { walk, row: await this.pages.fetchWalk(session.executor, walk, session.model) };
  }

  async #prepare(session: Session, { start }: From, unit: string, planned: () => PlannedWalk): Promise<PreparedWalk> {
    const walk = await this.reader.planFor(session, start.kind, unit, () => {
      const each = planned();
      return each.query.loadLinks ? this.#loadingLinks(session, each) : each;
    });
    const { query, plan } = walk;
    const next = plan.cursor && { next: (last: readonly (string | null)[]) => nextCursor(walk, last) };
    return { ...renderWalk(plan), showsKinds: showsKind(query), ...next };
  }

  /** Undefined if the statement depends on which kinds have links. */
  #keyOf(
    session: Session,
    { start, direction }: From,
    { parameters = [] }: ParsedQuery,
    passable: TraversableKinds,
    { seen, narrow }: ExpectedKinds,
  ): QueryKey | undefined {
    // The statement of a query without parameters is cached for all units already.
    if (parameters.length === 0 || (!passable.shared && readsLinks(session))) return undefined;
    const kinds = passable.shared ? identityOf(passable) : '';
    const id = `${start.kind.id} ${direction} ${kinds} ${narrow ? seen.size : 'all'}`;
    const readable = { kind: { id }, grant: { predicate: start.access } };
    return queryKey(session, readable, [...parameters, ['', scalarText(start.key as Json)]]);
  }

  async #loadingLinks(session: Session, { query, plan }: PlannedWalk): Promise<PlannedWalk> {
    const loaded = await planLinksColumn(session, { ...query, linkIds: undefined, kindIds: undefined });
    return { query, plan: loading(plan, loaded) };
  }

  /** A path within a session. */
  async shortestPathIn(session: Session, named: NamedUnit, parameters: QueryParameters): Promise<MixedPage> {
    const { model, executor } = session;
    const parsed = parsePathQuery(parameters);
    const { list } = parsed.query;
    const start = endOf(session, named);
    const traversable = await traversableKinds(session);
    const { row, plan, targetId } = await withExpectedKinds(model, async (expected) => {
      const planned = await this.reader.planFor(session, start.kind, named.unit, () =>
        this.#planPath(session, start, parsed, traversable, expected),
      );
      return { ...planned, row: await this.pages.fetchShortestPath(executor, planned.plan, model) };
    });
    if (!row.found) throw unknownUnit(start.kind, named.unit);
    if (!row.target_found) throw unknownUnit(plan.target.kind, targetId);
    if (row.over) throw tooFar();
    if (!row.met) throw noPath(list.depth);
    const { count, items } = row;
    return { count, items, showsKinds: showsKind(list) };
  }

  async #planPath(
    session: Session,
    start: LinkEnd,
    { query, faults }: Parsed<PathQuery>,
    traversable: TraversableKinds,
    expected: ExpectedKinds,
  ): Promise<PlannedPath> {
    const { target: named, list, direction } = query;
    const target = named && endOf(session, named, 'to_kind');
    const plan = () => planWalk({ query: list, faults }, session, { start, direction }, traversable, expected).plan;
    if (!target) {
      // The query has a fault, with which it can't be planned.
      plan();
      throw new Error('a query without a target was not refused');
    }
    return this.reader.planFor(session, target.kind, named.unit, () => {
      return { plan: { ...plan(), target }, targetId: named.unit };
    });
  }
}

/** A command whose answer can say why it takes as long as it does. */
function explainable(
  start: NamedUnit,
  parameters: QueryParameters,
  read: (session: Session, parameters: QueryParameters) => Promise<MixedPage>,
): Command {
  return reading(({ model, caller }) => {
    authorizeKind(model, start.kind, 'read', caller);
    return { mayBeOlder: true, run: (session) => explainablePage(session, parameters, read) };
  });
}

function endAt({ kind, grant }: Readable, unit: string): LinkEnd {
  checkHasTable(kind);
  return { kind, key: requireKey(kind, unit), access: grant.predicate };
}

/** An end of a path. @throws KindError 401, 403, 404 */
function endOf({ model, caller }: Session, { kind: id, unit }: NamedUnit, parameter?: 'to_kind'): LinkEnd {
  const readable = authorizeKind(model, id, 'read', caller);
  if (readable.kind.builtIn) throw notLinked(readable.kind, parameter && { parameter });
  return endAt(readable, unit);
}

function noPath(depth: number): KindError {
  return refusal('link.no_path', `No path of at most ${depth + 1} links leads to this unit`);
}

function tooFar(): KindError {
  const [units, links] = [LIMITS.walkUnits, LIMITS.walkLinks].map((limit) => limit.toLocaleString('en'));
  return refusal(
    'link.too_far',
    `depth: so far it is more than ${units} units, or ${links} links in one step; ask for less, or for one link_id`,
    { parameter: 'depth' },
  );
}
