/**
 * Walks along links: a page of the units that a walk reaches, in one statement; and the links that `load_links` adds.
 */
import type { KindDef } from '../../model/model.js';
import { LIMITS } from '../../shared/limits.js';
import { boundedList } from '../answer-size.sql.js';
import { columnType } from '../columns.sql.js';
import {
  all,
  EMPTY_SQL,
  integer,
  join,
  literal,
  param,
  render,
  sql,
  type Fragment,
  type Statement,
} from '../fragment.js';
import { idText, itemJson } from '../list/mixed-units.sql.js';
import type { LinkEnd } from '../link/link-ends.sql.js';
import { linkField } from './link-field.sql.js';
import { modelVersion } from '../model-version.sql.js';
import { COMMON_LIMITS } from '../list/page.sql.js';
import { rowConditions } from '../condition/predicate.sql.js';
import { reachedLinks } from './reached-links.sql.js';
import type { Direction, Traversal } from '../link/traversal-plan.js';
import { REACHED_UNIT, hasLinkType, linkTypeParam } from '../link/traversal-step.sql.js';
import { NEAREST_FIRST, traverse, type TraversalLimits, type TraversalStart } from './traversal.sql.js';
import type { ReadPlan } from '../list/select.sql.js';
import { hasId, kindTable } from '../table.sql.js';
import { fromTemplate } from '../statement-template.js';
import { chosenUnits, lastOfPage, walkCount, walkPage, type WalkPagePlan } from './walk-page.sql.js';

export interface WalkPlan extends WalkPagePlan {
  readonly start: LinkEnd;
  /** The kinds that the plan expects on the page; the statement returns the others that it finds. Undefined for any. */
  readonly expectedKinds: readonly string[] | undefined;
  /** The owner of the statement's template, shared by plans that differ only in the start's key and the link types. */
  readonly templateOwner?: object;
}

export const walkLimits = (): TraversalLimits => ({ units: LIMITS.walkUnits, links: LIMITS.walkLinks });

/**
 * One row `v, found, over, count, items, unmet`, with a cursor also `last`. `over`: the walk exceeds the limits; `unmet`:
 * unexpected kinds; `last`: the values after which the next page begins, or null.
 */
export function walkStatement(plan: WalkPlan): Statement {
  const { start, linkIds, limit, offset, cursor, templateOwner } = plan;
  const isCommon = offset === 0 && !cursor && COMMON_LIMITS.has(limit);
  if (!templateOwner || !isCommon) return render(walkSql(plan, param(start.key), hasLinkType(linkIds)), isCommon);
  return fromTemplate(templateOwner, '', [start.key, linkTypeParam(linkIds)], ([key, types]) =>
    walkSql(plan, key, hasLinkType(linkIds, types)),
  );
}

function walkSql(plan: WalkPlan, key: Fragment, types: Fragment | undefined): Fragment {
  const { schema, start, limit, cursor } = plan;
  const where = all([hasId(start.kind, key), ...rowConditions(schema, start.kind, [start.access])]);
  const found = sql`EXISTS (SELECT FROM ${kindTable(schema, start.kind)} AS t WHERE ${where})`;
  const startRow = sql`SELECT ${key}::${columnType(start.kind.keyField.columnType)} AS "id"`;
  const id = sql`(SELECT ${idText(start.kind)} FROM (${startRow}) AS t)`;
  const from: TraversalStart = { kind: start.kind, id, found: sql`(SELECT found FROM _s)` };
  const reached = traverse(plan, from, walkLimits(), types);
  const links = plan.linkColumns.length > 0 ? reachedLinks(plan, from, types, reached.over) : undefined;
  const chosen = chosenUnits(plan, reached, links);
  const page = walkPage(plan, reached, chosen);
  const item = itemJson(readPlans(plan.shown), REACHED_UNIT, linkField(plan, reached.hasLinks));
  const rows = cursor ? sql`_page AS n WHERE n.at <= ${integer(limit)} ORDER BY n.at` : sql`_page AS n`;
  const items = sql`${boundedList(item, rows)}::text`;
  const steps = join([
    sql`_s AS MATERIALIZED (SELECT ${found} AS found)`,
    ...reached.steps,
    sql`_page AS MATERIALIZED (${page})`,
  ]);
  const count = walkCount(plan, reached, chosen);
  return sql`
    WITH RECURSIVE ${steps}
    SELECT
      ${modelVersion(schema)} AS v,
      (SELECT found FROM _s) AS found,
      ${reached.over} AS over,
      ${count} AS count,
      ${limit > 0 ? items : sql`'[]'`} AS items,
      ${unexpectedKinds(plan)} AS unmet${cursor ? sql`, ${lastOfPage(plan)}` : EMPTY_SQL}
  `;
}

/** The kinds on the page that the plan does not expect; null for none. */
export function unexpectedKinds({ expectedKinds }: Pick<WalkPlan, 'expectedKinds'>): Fragment {
  if (!expectedKinds) return sql`NULL::text[]`;
  const others = expectedKinds.length > 0 ? sql` WHERE kind NOT IN (${join(expectedKinds.map(literal))})` : EMPTY_SQL;
  return sql`(SELECT array_agg(DISTINCT kind) FROM _page${others})`;
}

export function readPlans(shown: WalkPlan['shown']): ReadPlan[] {
  return shown.map(({ read }) => read);
}

/** What `load_links` shows. */
interface ShownLinks {
  /** The fields of linked units, for each kind. */
  readonly shown: readonly ReadPlan[];
  /** The ids of the kinds whose units are shown; undefined for all that are reached. */
  readonly only: readonly string[] | undefined;
  readonly limits: TraversalLimits;
}

/** The column `links` of the row `t`: for each traversal its direction with a list of linked units within the limits. */
export function loadedLinks(
  kind: KindDef,
  traversals: readonly Traversal[],
  { shown, only, limits }: ShownLinks,
): Fragment {
  const start: TraversalStart = { kind, id: idText(kind), found: sql`true` };
  const lists = traversals.map((traversal) => {
    const reached = traverse(traversal, start, limits, hasLinkType(traversal.linkIds));
    const ofKinds = only && sql`SELECT * FROM (${reached.rows}) AS n WHERE n.kind IN (${join(only.map(literal))})`;
    const nearest = sql`${ofKinds ?? reached.rows} ORDER BY ${NEAREST_FIRST} LIMIT ${integer(limits.units)}`;
    const page = ofKinds ? nearest : (reached.page?.(limits.units, 0) ?? nearest);
    const steps = reached.steps.length > 0 ? sql`WITH RECURSIVE ${join(reached.steps)} ` : EMPTY_SQL;
    const item = itemJson(shown, REACHED_UNIT, linkField(traversal, reached.hasLinks));
    const list = boundedList(item, sql`(${page}) AS n`);
    return sql`${literal(traversal.direction)}, (${steps}SELECT ${list})`;
  });
  return sql`json_build_object(${join(lists)}) AS "links"`;
}

/** The column `links` of units that cannot be linked. */
export function noLinks(directions: readonly Direction[]): Fragment {
  return sql`json_build_object(${join(directions.map((each) => sql`${literal(each)}, '[]'::json`))}) AS "links"`;
}
