/** Reads the units that can be reached from a unit over links. */
import { Injectable } from '@nestjs/common';
import { checkHasTable, authorizeKind } from '../access/access.js';
import { Catalog } from '../catalog/catalog.service.js';
import { Database } from '../database/database.js';
import type { Answer } from '../http/answer/answer.js';
import { parseListQuery, type ParsedQuery, type QueryParameters } from '../http/route/parse-list-query.js';
import { WALK_QUERY } from '../http/route/query-names.js';
import { refusal, type KindError } from '../shared/errors.js';
import { LIMITS } from '../shared/limits.js';
import type { RequestScope } from '../tenancy/request-scope.js';
import { explainablePage } from '../unit/explain/explained-page.js';
import { requestSession } from '../unit/session/caller-executor.js';
import type { Session } from '../unit/session/session.js';
import { requireKey, unknownUnit } from '../unit/session/unit-ids.js';
import { UnitReader } from '../unit/unit.reader.js';
import { PageRepository, type WalkRow } from '../unit/table/page.repository.js';
import { showsKind, type MixedPage } from '../unit/query/union.plan.js';
import { Walks, type ExpectedKinds } from '../unit/query/reachable-kinds.js';
import { parseDirection } from './direction.js';
import { loading, nextCursor, planWalk, type From, type PlannedWalk } from './walk.plan.js';

export interface WalkPath {
  readonly kind: string;
  readonly unit: string;
  readonly direction: string;
}

interface Walked {
  readonly planned: PlannedWalk;
  readonly row: WalkRow;
}

@Injectable()
export class LinkReader {
  constructor(
    private readonly catalog: Catalog,
    private readonly database: Database,
    private readonly pages: PageRepository,
    private readonly reader: UnitReader,
    private readonly walks: Walks,
  ) {}

  list(scope: RequestScope, path: WalkPath, parameters: QueryParameters): Promise<Answer> {
    return this.catalog.withModelOf(scope, path.kind, (model) => {
      const session = requestSession(this.database, scope, model);
      return explainablePage(session, parameters, (within, query) => this.listIn(within, path, query));
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
    const { row, planned } = await this.walks.withExpectedKinds(model, (expected) =>
      this.#walk(session, from, parsed, path.unit, expected),
    );
    if (!row.found) throw unknownUnit(kind, path.unit);
    if (row.over) throw tooFar();
    const { count, items, last } = row;
    const page = { count, items, showsKinds: showsKind(parsed.query) };
    return planned.plan.cursor ? { ...page, next: last && nextCursor(planned, last) } : page;
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
    const planned = await this.reader.planFor(session, from.start.kind, unit, () => {
      const walk = planWalk(parsed, session, from, passable, expected);
      return walk.query.loadLinks ? this.#loadingLinks(session, walk) : walk;
    });
    return { planned, row: await this.pages.fetchWalk(session.executor, planned.plan, session.model) };
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
