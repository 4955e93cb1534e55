/** Reads of units: who asks and what for become a plan, the plan one statement, and its bytes the answer. */
import { Injectable } from '@nestjs/common';
import { grantOf, openKind, type Grant } from '../access/access.js';
import { Catalog } from '../catalog/catalog.service.js';
import { Database } from '../database/database.js';
import { Answer } from '../http/answer.js';
import { parseListQuery, type ListQuery } from '../http/list-query.js';
import type { KindDef, Model } from '../model/model.js';
import type { Predicate } from '../model/predicate.js';
import type { ListPlan, ReadPlan } from '../sql/select.sql.js';
import type { RequestScope } from '../tenancy/request-scope.js';
import { showsMore, unitAnswer } from './presentation.js';
import { RemoteReader } from './remote.reader.js';
import { Remotes } from './remotes.js';
import type { Session } from './session.js';
import { parseKey, unknownUnit } from './unit.key.js';
import { cursorOf, planGet, planList, planQuery } from './unit.plan.js';
import { UnitRepository, type PageRow, type UnitRow } from './unit.repository.js';
import { contextOf, Walks } from './walks.js';

@Injectable()
export class UnitReader {
  constructor(
    private readonly catalog: Catalog,
    private readonly database: Database,
    private readonly repository: UnitRepository,
    private readonly walks: Walks,
    private readonly remotes: Remotes,
    private readonly remoteReader: RemoteReader,
  ) {}

  /** The units of a kind. `url` has the query. */
  list(scope: RequestScope, kindId: string, url: string): Promise<Answer> {
    return this.catalog.withModel(scope.project, async (model) => {
      const { kind, grant } = openKind(model, kindId, 'read', scope.caller);
      this.remotes.checkState(kind, scope, 'list');
      if (!kind.remote) return this.#page(scope, model, kind, grant, url);
      const session = this.#session(scope, model);
      return this.remotes.apart(scope.project, model, kind, async () =>
        presentPage(await this.remoteReader.list(session, kind, url)),
      );
    });
  }

  /** The units of a kind that a definition of the model names, such as the kinds of a group. */
  listWhere(
    scope: RequestScope,
    kindId: string,
    url: string,
    where: (kind: KindDef, model: Model) => Promise<Predicate>,
  ): Promise<Answer> {
    return this.catalog.withModel(scope.project, async (model) => {
      const { kind, grant } = openKind(model, kindId, 'read', scope.caller);
      return this.#page(scope, model, kind, grant, url, await where(kind, model));
    });
  }

  async #page(
    scope: RequestScope,
    model: Model,
    kind: KindDef,
    grant: Grant,
    url: string,
    extra?: Predicate,
  ): Promise<Answer> {
    const context = contextOf(scope, model, { kind, access: grant.predicate });
    const { query, read } = planQuery(url, (asked) => ({ query: asked, read: planList(asked, context, extra) }));
    const plan = { ...read, ...(await this.#loaded(scope, model, kind, query)) };
    return presentPage(await this.repository.fetchPage(this.database, plan, model), plan);
  }

  get(scope: RequestScope, kindId: string, unitId: string, url: string): Promise<Answer> {
    return this.catalog.withModel(scope.project, async (model) => {
      const { kind, grant } = openKind(model, kindId, 'read', scope.caller);
      this.remotes.checkState(kind, scope, 'get');
      if (kind.remote) {
        const session = this.#session(scope, model);
        return this.remotes.apart(scope.project, model, kind, async () =>
          unitAnswer(kind, await this.remoteReader.get(session, kind, unitId, url)),
        );
      }
      const key = parseKey(kind, unitId);
      const plan = await this.#planGet(scope, model, kind, grant, unitId, url);
      const unit = key === undefined ? undefined : await this.repository.fetch(this.database, plan, key, model);
      if (!unit) throw unknownUnit(kind, unitId);
      return unitAnswer(kind, unit, showsMore(plan));
    });
  }

  /** Whether the unit is there is answered before what is wrong with the query. */
  async #planGet(
    scope: RequestScope,
    model: Model,
    kind: KindDef,
    grant: Grant,
    unitId: string,
    url: string,
  ): Promise<ReadPlan> {
    try {
      const context = contextOf(scope, model, { kind, access: grant.predicate });
      const { query, read } = planQuery(url, (asked) => ({ query: asked, read: planGet(asked, context) }));
      return { ...read, ...(await this.#loaded(scope, model, kind, { ...query, limit: 1 })) };
    } catch (error) {
      if (!(await this.find(this.#session(scope, model), kind, unitId))) throw unknownUnit(kind, unitId);
      throw error;
    }
  }

  /** What `load_links` asks for beside the fields. */
  async #loaded(
    scope: RequestScope,
    model: Model,
    kind: KindDef,
    query: Pick<ListQuery, 'loadLinks' | 'depth' | 'limit'>,
  ): Promise<Pick<ReadPlan, 'also'>> {
    return query.loadLinks ? { also: (await this.walks.loaded(this.#session(scope, model), query))(kind) } : {};
  }

  #session(scope: RequestScope, model: Model): Session {
    return { ...scope, model, executor: this.database };
  }

  /** One unit as an object, inside a session; undefined where its caller may not read it. */
  async find(session: Session, kind: KindDef, unitId: string): Promise<Record<string, unknown> | undefined> {
    const { model, executor } = session;
    if (kind.remote) return objectOf(await this.remoteReader.find(session, kind, unitId));
    const grant = grantOf(kind, 'read', session.caller, model);
    const key = parseKey(kind, unitId);
    if (!grant || key === undefined) return undefined;
    const plan = planGet(parseListQuery(''), contextOf(session, model, { kind, access: grant.predicate }));
    const unit = await this.repository.fetch(executor, plan, key, model);
    return objectOf(unit);
  }
}

function objectOf(unit: UnitRow | undefined): Record<string, unknown> | undefined {
  return unit && (JSON.parse(unit.body) as Record<string, unknown>);
}

function presentPage({ count, items, last }: PageRow, plan?: ListPlan): Answer {
  const next = plan?.cursor ? `,"next":${last ? JSON.stringify(cursorOf(plan, last)) : 'null'}` : '';
  return new Answer(`{"count":${count},"items":${items}${next}}`);
}
