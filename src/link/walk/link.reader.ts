/** Reads the units that can be reached from a unit over links. */
import { Injectable } from '@nestjs/common';
import { checkHasTable, authorizeKind } from '../../access/access.js';
import type { Answer } from '../../http/answer/answer.js';
import { parseListQuery, type ParsedQuery, type QueryParameters } from '../../http/route/parse-list-query.js';
import { WALK_QUERY } from '../../http/route/query-names.js';
import { refusal, type KindError } from '../../shared/errors.js';
import { scalarText, type Json } from '../../shared/json.js';
import { LIMITS } from '../../shared/limits.js';
import { identityOf } from '../../sql/statement-template.js';
import { explainablePage } from '../../unit/tuning/explained-page.js';
import { reading, type Command } from '../../run/command.js';
import type { Session } from '../../catalog/session/session.js';
import { requireKey, unknownUnit } from '../../unit/session/unit-ids.js';
import { UnitReader } from '../../unit/unit.reader.js';
import { queryKey, RepeatedQueries, type QueryKey } from '../../unit/query/repeated-queries.js';
import { readyWalk, type ReadyWalk } from '../../unit/table/read/ready-page.js';
import { PageRepository, type WalkRow } from '../../unit/table/read/page.repository.js';
import { showsKind, type MixedPage } from '../../unit/query/union.plan.js';
import { Walks, type ExpectedKinds, type TraversableKinds } from '../../unit/query/reachable-kinds.js';
import { parseDirection } from '../direction.js';
import { loading, nextCursor, planWalk, type From, type PlannedWalk } from './walk.plan.js';

export interface WalkPath {
  readonly kind: string;
  readonly unit: string;
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

@Injectable()
export class LinkReader {
  readonly #repeated = new RepeatedQueries<PreparedWalk>();

  constructor(
    private readonly pages: PageRepository,
    private readonly reader: UnitReader,
    private readonly walks: Walks,
  ) {}

  list(path: WalkPath, parameters: QueryParameters): Command {
    const run = (session: Session): Promise<Answer> =>
      explainablePage(session, parameters, (within, query) => this.listIn(within, path, query));
    return reading(({ model, caller }) => {
      authorizeKind(model, path.kind, 'read', caller);
      return { mayBeOlder: true, run };
    });
  }

  /** A page within a session. */
  async listIn(session: Session, path: WalkPath, parameters: QueryParameters): Promise<MixedPage> {
    const { model } = session;
    const { kind, grant } = authorizeKind(model, path.kind, 'read', session.caller);
    const direction = parseDirection(kind, path.direction);
    checkHasTable(kind);
    const key = requireKey(kind, path.unit);
    const from: From = { start: { kind, key, access: grant.predicate }, direction };
    const parsed = parseListQuery(parameters, WALK_QUERY);
    const { row, walk } = await this.walks.withExpectedKinds(model, (expected) =>
      this.#walk(session, from, parsed, path.unit, expected),
    );
    if (!row.found) throw unknownUnit(kind, path.unit);
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
    const traversable = this.walks.traversableKinds(session);
    const passable = traversable instanceof Promise ? await traversable : traversable;
    const key = this.#keyOf(session, from, parsed, passable, expected);
    const repeated = key && this.#repeated.find(key);
    const walk = repeated ?? (await this.#prepare(session, from, parsed, unit, passable, expected));
    if (key && !repeated && !walk.next) this.#repeated.note(key, walk);
    return { walk, row: await this.pages.fetchWalk(session.executor, walk, session.model) };
  }

  async #prepare(
    session: Session,
    from: From,
    parsed: ParsedQuery,
    unit: string,
    passable: TraversableKinds,
    expected: ExpectedKinds,
  ): Promise<PreparedWalk> {
    const planned = await this.reader.planFor(session, from.start.kind, unit, () => {
      const walk = planWalk(parsed, session, from, passable, expected);
      return walk.query.loadLinks ? this.#loadingLinks(session, walk) : walk;
    });
    const { query, plan } = planned;
    const next = plan.cursor && { next: (last: readonly (string | null)[]) => nextCursor(planned, last) };
    return { ...readyWalk(plan), showsKinds: showsKind(query), ...next };
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
    if (parameters.length === 0 || (!passable.shared && this.walks.readsLinks(session))) return undefined;
    const kinds = passable.shared ? identityOf(passable) : '';
    const id = `${start.kind.id} ${direction} ${kinds} ${narrow ? seen.size : 'all'}`;
    const readable = { kind: { id }, grant: { predicate: start.access } };
    return queryKey(session, readable, [...parameters, ['', scalarText(start.key as Json)]]);
  }

  async #loadingLinks(session: Session, { query, plan }: PlannedWalk): Promise<PlannedWalk> {
    const loaded = await this.walks.loaded(session, { ...query, linkIds: undefined, kindIds: undefined });
    return { query, plan: loading(plan, loaded) };
  }
}

export function tooFar(): KindError {
  const [units, links] = [LIMITS.walkUnits, LIMITS.walkLinks].map((limit) => limit.toLocaleString('en'));
  return refusal(
    'link.too_far',
    `depth: so far it is more than ${units} units, or ${links} links in one step; ask for less, or for one link_id`,
    { parameter: 'depth' },
  );
}
