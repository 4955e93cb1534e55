/** Reads along links: the units within some steps of one. */
import { Injectable } from '@nestjs/common';
import { checkState, linkTypesTold, openKind } from '../access/access.js';
import { Catalog } from '../catalog/catalog.service.js';
import { Database } from '../database/database.js';
import { Answer } from '../http/answer.js';
import type { ListQuery } from '../http/list-query.js';
import type { KindDef, Model } from '../model/model.js';
import { refusal, type KindError } from '../shared/errors.js';
import { LIMITS } from '../shared/limits.js';
import { didYouMean } from '../shared/nearest.js';
import type { Direction } from '../sql/reach.sql.js';
import type { WalkPlan } from '../sql/walk.sql.js';
import type { Caller } from '../tenancy/caller.js';
import type { RequestScope } from '../tenancy/request-scope.js';
import { planParts, tellingKind } from '../unit/parts.plan.js';
import type { Session } from '../unit/session.js';
import { planQuery } from '../unit/unit.plan.js';
import { parseKey, unknownUnit } from '../unit/unit.key.js';
import { UnitReader } from '../unit/unit.reader.js';
import { UnitRepository } from '../unit/unit.repository.js';
import { contextOf, LINK_FIELD, Walks, withoutLink } from '../unit/walks.js';

export interface WalkPath {
  readonly kind: string;
  readonly unit: string;
  readonly direction: string;
}

type From = Pick<WalkPlan, 'start' | 'direction'>;

/** Whether the kinds are read that pages have had so far, or all. */
interface Expected {
  readonly shown: 'met' | 'all';
}

const DIRECTIONS: readonly Direction[] = ['parent', 'child'];

@Injectable()
export class LinkReader {
  constructor(
    private readonly catalog: Catalog,
    private readonly database: Database,
    private readonly repository: UnitRepository,
    private readonly reader: UnitReader,
    private readonly walks: Walks,
  ) {}

  list(scope: RequestScope, path: WalkPath, url: string): Promise<Answer> {
    return this.catalog.withModel(scope.project, async (model) => {
      const { count, items } = await this.listIn({ ...scope, model, executor: this.database }, path, url);
      return new Answer(`{"count":${count},"items":${items}}`);
    });
  }

  /** The same inside a session that is under way. */
  async listIn(session: Session, path: WalkPath, url: string): Promise<{ count: number; items: string }> {
    const { model, executor } = session;
    const { kind, grant } = openKind(model, path.kind, 'read', session.caller);
    const direction = directionOf(kind, path);
    checkState(kind);
    const key = parseKey(kind, path.unit);
    if (key === undefined) throw unknownUnit(kind, path.unit);
    const from: From = { start: { kind, key, access: grant.predicate }, direction };
    const met = this.walks.met(model);
    const walk = async (shown: 'met' | 'all') =>
      this.repository.fetchWalk(executor, await this.#plan(session, { ...from, shown }, url, path), model);
    const expected = met.size > 0 ? 'met' : 'all';
    let row = await walk(expected);
    if (row.unmet) {
      for (const id of row.unmet) met.add(id);
      if (expected === 'met') row = await walk('all');
    }
    if (!row.found) throw unknownUnit(kind, path.unit);
    if (row.over) throw tooFar();
    return row;
  }

  /** Whether the unit is there is answered before what is wrong with the query. */
  async #plan(session: Session, from: From & Expected, url: string, { unit }: WalkPath): Promise<WalkPlan> {
    try {
      return await this.#planWalk(session, from, url);
    } catch (error) {
      const { kind } = from.start;
      if (!(await this.reader.find(session, kind, unit))) throw unknownUnit(kind, unit);
      throw error;
    }
  }

  async #planWalk(session: Session, { shown: expected, ...from }: From & Expected, url: string): Promise<WalkPlan> {
    const { model, caller, project } = session;
    const ground = await this.walks.ground(session);
    const met = this.walks.met(model);
    const plan = (asked: ListQuery) => {
      checkTypes(asked, model, caller);
      if (asked.cursor !== undefined) throw refusal('query.unknown', 'cursor: not here', { parameter: 'cursor' });
      const wanted = asked.kindIds?.map((id) => openLinked(model, id, caller));
      const every = ground.passed.filter(({ kind }) => !wanted || wanted.includes(kind));
      const plain = isPlain(asked);
      const shown = plain && expected === 'met' ? every.filter(({ kind }) => met.has(kind.id)) : every;
      const contexts = shown.map((passed) => contextOf(session, model, passed));
      const read = { ...asked, include: asked.include?.filter(isOther) };
      const parts = planParts(caller.seesHidden ? tellingKind(read) : read, contexts);
      return { query: asked, every, ...parts, met: plain ? [...met] : undefined };
    };
    const { query, every, parts, order, met: named } = planQuery(url, plan, ['link_id', 'kind_id']);
    const loaded = query.loadLinks ? await this.walks.loaded(session, query) : undefined;
    return {
      ...from,
      ...ground,
      schema: project.schema,
      depth: query.depth,
      linkIds: query.linkIds,
      shown: parts.map(({ read, ...part }) => {
        return { ...part, read: { ...withoutLink(read), ...(loaded && { also: loaded(part.kind) }) } };
      }),
      met: named,
      selects: every.length < ground.passed.length || parts.some(({ filter }) => filter !== undefined),
      order,
      limit: query.limit,
      offset: query.offset,
      count: query.count,
    };
  }
}

/** What is wrong with other queries, and what they leave out, is known by all kinds together. */
function isPlain({ filter, order, include, exclude, kindIds, loadLinks }: ListQuery): boolean {
  return !filter && order.length === 0 && !include && !exclude && !kindIds && !loadLinks;
}

/** A kind of which linked units are wanted. @throws KindError 401, 403, 404 */
function openLinked(model: Model, id: string, caller: Caller): KindDef {
  const { kind } = openKind(model, id, 'read', caller);
  if (kind.builtIn) throw notLinked(kind, { parameter: 'kind_id' });
  return kind;
}

/** `include` may name the field that every linked unit has. */
function isOther(name: string): boolean {
  return name !== LINK_FIELD;
}

/** @throws KindError 404 for kinds of the model, and for a direction that there is not */
function directionOf(kind: KindDef, { direction }: WalkPath): Direction {
  const found = DIRECTIONS.find((each) => each === direction);
  if (!found) {
    throw refusal('link.unknown', `No direction '${direction.slice(0, 80)}'${didYouMean(direction, DIRECTIONS)}`);
  }
  if (kind.builtIn) throw notLinked(kind);
  return found;
}

function notLinked({ id }: KindDef, place?: { readonly parameter: string }): KindError {
  return refusal('link.unknown', `Units of '${id}' have no links of this sort`, place);
}

function checkTypes({ linkIds }: ListQuery, model: Model, caller: Caller): void {
  const unknown = linkIds?.find((id) => !model.linkTypes.has(id));
  if (unknown === undefined) return;
  throw refusal(
    'link.unknown',
    `link_id: no link type '${unknown.slice(0, 80)}'${didYouMean(unknown, linkTypesTold(model, caller))}`,
    {
      parameter: 'link_id',
    },
  );
}

function tooFar() {
  const [units, links] = [LIMITS.walkUnits, LIMITS.walkLinks].map((limit) => limit.toLocaleString('en'));
  return refusal(
    'link.too_far',
    `depth: so far it is more than ${units} units, or ${links} links in one step; ask for less, or for one link_id`,
    { parameter: 'depth' },
  );
}
