/** Reads the shortest path over links from one unit to another. */
import { Injectable } from '@nestjs/common';
import { authorizeKind, checkHasTable } from '../../access/access.js';
import type { Answer } from '../../http/answer/answer.js';
import type { Parsed, QueryParameters } from '../../http/route/parse-list-query.js';
import { parsePathQuery, type PathQuery } from '../../http/route/parse-path-query.js';
import { refusal, type KindError } from '../../shared/errors.js';
import type { LinkEnd } from '../../sql/link/link-ends.sql.js';
import type { ShortestPathPlan } from '../../sql/walk/shortest-path.sql.js';
import { explainablePage } from '../../unit/tuning/explained-page.js';
import { notLinked } from '../../unit/query/named-links.js';
import { Walks, type ExpectedKinds, type TraversableKinds } from '../../unit/query/reachable-kinds.js';
import { showsKind, type MixedPage } from '../../unit/query/union.plan.js';
import { reading, type Command } from '../../run/command.js';
import type { Session } from '../../catalog/session/session.js';
import { requireKey, unknownUnit } from '../../unit/session/unit-ids.js';
import { PageRepository } from '../../unit/table/read/page.repository.js';
import { UnitReader } from '../../unit/unit.reader.js';
import { tooFar } from './link.reader.js';
import { planWalk } from './walk.plan.js';

/** An end of a path, as the request names it. */
export interface NamedUnit {
  readonly kind: string;
  readonly unit: string;
}

interface PlannedPath {
  readonly plan: ShortestPathPlan;
  /** The id of the target, as the request names it. */
  readonly targetId: string;
}

@Injectable()
export class ShortestPathReader {
  constructor(
    private readonly pages: PageRepository,
    private readonly reader: UnitReader,
    private readonly walks: Walks,
  ) {}

  find(start: NamedUnit, parameters: QueryParameters): Command {
    const run = (session: Session): Promise<Answer> =>
      explainablePage(session, parameters, (within, query) => this.findIn(within, start, query));
    return reading(({ model, caller }) => {
      authorizeKind(model, start.kind, 'read', caller);
      return { mayBeOlder: true, run };
    });
  }

  /** A path within a session. */
  async findIn(session: Session, named: NamedUnit, parameters: QueryParameters): Promise<MixedPage> {
    const { model, executor } = session;
    const parsed = parsePathQuery(parameters);
    const { list } = parsed.query;
    const start = endOf(session, named);
    const traversable = await this.walks.traversableKinds(session);
    const { row, plan, targetId } = await this.walks.withExpectedKinds(model, async (expected) => {
      const planned = await this.reader.planFor(session, start.kind, named.unit, () =>
        this.#plan(session, start, parsed, traversable, expected),
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

  async #plan(
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

/** @throws KindError 401, 403, 404 */
function endOf({ model, caller }: Session, { kind: id, unit }: NamedUnit, parameter?: 'to_kind'): LinkEnd {
  const { kind, grant } = authorizeKind(model, id, 'read', caller);
  if (kind.builtIn) throw notLinked(kind, parameter && { parameter });
  checkHasTable(kind);
  return { kind, key: requireKey(kind, unit), access: grant.predicate };
}

function noPath(depth: number): KindError {
  return refusal('link.no_path', `No path of at most ${depth + 1} links leads to this unit`);
}
