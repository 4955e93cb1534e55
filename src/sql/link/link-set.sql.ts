/**
 * Locks for many links of one type between one unit and others of any kinds, in one transaction and in this order: the
 * unit, the others and the links with them, the links that are to be deleted. `link-set-write.sql.ts` then writes. Each
 * statement locks its rows in a fixed order, so that two such transactions do not deadlock.
 */
import type { KindDef } from '../../model/model.js';
import type { Predicate } from '../../model/predicate/predicate.js';
import { columnRef, columnType } from '../columns.sql.js';
import { conditionOnRows, rowConditions, writtenRowConditions } from '../condition/predicate.sql.js';
import {
  all,
  EMPTY_SQL,
  type Fragment,
  ident,
  integer,
  join,
  literal,
  param,
  render,
  sql,
  type Statement,
} from '../fragment.js';
import { hasId, hasKeyIn, keyArray, kindTable, linkTable } from '../table.sql.js';
import { byKind, idText, type UnitReference, unitSatisfies } from '../list/mixed-units.sql.js';
import { isModelVersion, MODEL_TABLE } from '../model-version.sql.js';
import type { LinkRecording } from '../write/recording.sql.js';
import type { LinkEnd } from './link-ends.sql.js';
import type { Direction, Traversal } from './traversal-plan.js';
import { columnsByDirection, isReadable, REACHED_UNIT } from './traversal-step.sql.js';

/** The links of one type that lead from a unit, or to it. */
export interface LinkSet {
  readonly schema: string;
  /** The version that the model must have. */
  readonly version: number;
  readonly linkId: string;
  /** `child`: the unit is the parent, and the others are its children. */
  readonly direction: Direction;
  /** The kind of the unit, and its id as in records. */
  readonly kind: KindDef;
  readonly id: string;
  /** Left out where changes are not recorded. */
  readonly recording?: LinkRecording | undefined;
}

/** The unit itself. */
export interface LinkSetUnit extends Pick<LinkSet, 'schema' | 'version'> {
  readonly unit: LinkEnd;
  /** The units that the caller may link; undefined for all. */
  readonly allowed: Predicate | undefined;
  /** Whether all other links are deleted: two such requests must not run at once. */
  readonly replace: boolean;
}

/** The version of the model; the unit's id as in records, null if the caller cannot read it; whether it may be linked. */
export interface LinkSetUnitRow {
  readonly v: string;
  readonly id: string | null;
  readonly allowed: boolean | null;
}

/** Makes new links of the link table wait for nothing later in the transaction: definition changes lock it first. */
export function lockLinkTableStatement(schema: string): Statement {
  return render(sql`LOCK TABLE ${linkTable(schema)} IN ROW EXCLUSIVE MODE`);
}

/**
 * Locks the unit against deletion. For `replace` its row is written without a change, so that of two transactions the
 * second one waits, and at REPEATABLE READ fails and runs again, instead of reading links as they were before the first.
 * One row `LinkSetUnitRow`.
 */
export function lockLinkSetUnitStatement({ schema, version, unit, allowed, replace }: LinkSetUnit): Statement {
  const { kind, key, access } = unit;
  const where = all([
    hasId(kind, param(key)),
    isModelVersion(schema, param(version)),
    ...writtenRowConditions(schema, kind, access),
  ]);
  const test = allowed ? sql`(${all(rowConditions(schema, kind, [allowed]))}) IS TRUE` : sql`true`;
  const columns = sql`(${idText(kind)})::text AS id, ${test} AS allowed`;
  const table = kindTable(schema, kind);
  const row = replace
    ? sql`UPDATE ${table} AS t SET "inserted_at" = t."inserted_at" WHERE ${where} RETURNING t.*`
    : sql`SELECT t.* FROM ${table} AS t WHERE ${where} FOR KEY SHARE OF t`;
  return render(
    sql`
      WITH _u AS MATERIALIZED (${row})
      SELECT m."version" AS v, u.id, u.allowed
      FROM ${ident(schema, MODEL_TABLE)} AS m
      LEFT JOIN (SELECT ${columns} FROM _u AS t) AS u ON true
    `,
    true,
  );
}

/** Some of the others, of one kind. */
export interface OtherUnits {
  readonly kind: KindDef;
  /** The units that the caller may read; undefined for all. */
  readonly access: Predicate | undefined;
  /** The units that the caller may link as parents; undefined for all. */
  readonly allowed: Predicate | undefined;
  /** The links that the access of their type allows, as a predicate over `parent` and `child`; undefined for all. */
  readonly rule?: Predicate | undefined;
  readonly keys: readonly string[];
  /** The position of each in the request. */
  readonly positions: readonly number[];
}

/** `found`: the units that the caller can read. `linked`: those whose link exists. */
export interface OtherUnitsRow {
  readonly v: string;
  readonly found: readonly (readonly [position: number, id: string, allowed: boolean])[] | null;
  readonly linked: readonly (readonly [kind: string, id: string])[] | null;
}

/**
 * Locks others against deletion, and the links with them that exist. One row `OtherUnitsRow`.
 * @param kinds sorted by id
 */
export function lockOthersStatement(set: LinkSet, kinds: readonly OtherUnits[], replace: boolean): Statement {
  const { schema } = set;
  const { far } = columnsByDirection(set.direction);
  const names = kinds.map((_, at) => ident(`_k${at}`));
  const units = kinds.map((each, at) => sql`${names[at] ?? EMPTY_SQL} AS MATERIALIZED (${lockedUnits(schema, each)})`);
  const union = join(
    names.map((name) => sql`SELECT * FROM ${name}`),
    ' UNION ALL ',
  );
  const found = foundLink(set, { kind: sql`o.kind`, id: sql`o.id` }, sql`l.ctid`);
  const linked = sql`
    SELECT ${far.kind} AS kind, ${far.id} AS id
    FROM ${linkTable(schema)} AS l
    WHERE l.ctid = ANY(ARRAY(SELECT e.ctid FROM _o AS o CROSS JOIN LATERAL (${found}) AS e))
    ORDER BY 1, 2
    ${replace ? sql`FOR UPDATE` : sql`FOR KEY SHARE`} OF l
  `;
  return render(
    sql`
      WITH
        ${join(units)},
        _o AS MATERIALIZED (${union}),
        _l AS MATERIALIZED (${linked})
      SELECT
        m."version" AS v,
        (SELECT json_agg(json_build_array(o.n, o.id, o.allowed)) FROM _o AS o) AS found,
        (SELECT json_agg(json_build_array(l.kind, l.id)) FROM _l AS l) AS linked
      FROM ${ident(schema, MODEL_TABLE)} AS m
    `,
    true,
  );
}

/** Rows `n, kind, id, allowed`, locked in the order of their keys. */
function lockedUnits(schema: string, { kind, access, allowed, keys, positions }: OtherUnits): Fragment {
  const key = columnRef(kind.keyField);
  const test = allowed ? sql`(${all(rowConditions(schema, kind, [allowed]))}) IS TRUE` : sql`true`;
  return sql`
    SELECT i.n, ${literal(kind.id)}::text AS kind, (${idText(kind)})::text AS id, ${test} AS allowed
    FROM unnest(${keyArray(kind, keys)}, ${param(positions)}::int[]) AS i("key", n)
    JOIN ${kindTable(schema, kind)} AS t ON ${key} = i."key"
    WHERE ${all(rowConditions(schema, kind, [access]))}
    ORDER BY ${key}
    FOR KEY SHARE OF t
  `;
}

/** Columns of the link `l` of the set with one unit. OFFSET keeps PostgreSQL from joining all links of the set. */
export function foundLink(set: LinkSet, unit: UnitReference, columns: Fragment): Fragment {
  const { far } = columnsByDirection(set.direction);
  const where = all([inSet(set), sql`${far.kind} = ${unit.kind}`, sql`${far.id} = ${unit.id}`]);
  return sql`SELECT ${columns} FROM ${linkTable(set.schema)} AS l WHERE ${where} OFFSET 0`;
}

/** Whether the link `l` belongs to the set. */
function inSet({ linkId, direction, kind, id }: LinkSet): Fragment {
  const { near } = columnsByDirection(direction);
  return all([
    sql`${near.kind} = ${literal(kind.id)}`,
    sql`${near.id} = ${param(id)}`,
    sql`l."link_id" = ${param(linkId)}`,
  ]);
}

/** Units as a JSON list of objects with `kind` and `id`. */
export type UnitList = string;

export function unitRows(list: UnitList): Fragment {
  return sql`json_to_recordset(${param(list)}::json) AS u(kind text, id text)`;
}

/** The links of the set that `replace` deletes. */
export interface LinksToDelete extends Pick<Traversal, 'passed' | 'passesAll'> {
  /** The units whose links stay. */
  readonly kept: UnitList;
  /** The kinds whose units the caller may link, where the others are parents. */
  readonly allowed: readonly Pick<OtherUnits, 'kind' | 'allowed'>[] | undefined;
  /** The most that may be deleted. */
  readonly most: number;
}

/** `over`: there are too many. `denied`: a parent that the caller may not link, as `[kind, id]`. */
export interface LinksToDeleteRow {
  readonly v: string;
  readonly over: boolean;
  readonly denied: readonly [kind: string, id: string] | null;
  readonly units: UnitList;
}

/** Locks the links that `replace` deletes: those with units that the caller can read. One row `LinksToDeleteRow`. */
export function lockLinksToDeleteStatement(
  set: LinkSet,
  { passed, passesAll, kept, allowed, most }: LinksToDelete,
): Statement {
  const { schema, direction } = set;
  const { far } = columnsByDirection(direction);
  const links = sql`
    SELECT n.kind, n.id
    FROM ${linkTable(schema)} AS l
    CROSS JOIN LATERAL (SELECT ${far.kind} AS kind, ${far.id} AS id) AS n
    WHERE ${all([
      inSet(set),
      sql`(${far.kind}, ${far.id}) NOT IN (SELECT u.kind, u.id FROM ${unitRows(kept)})`,
      isReadable({ schema, passed, passesAll }),
    ])}
    ORDER BY n.kind, n.id
    LIMIT ${integer(most + 1)}
    FOR UPDATE OF l
  `;
  const denied = allowed
    ? sql`(
        SELECT json_build_array(n.kind, n.id)
        FROM _d AS n
        WHERE (${mayLink(schema, allowed)}) IS NOT TRUE
        LIMIT 1
      )`
    : sql`NULL::json`;
  return render(
    sql`
      WITH _d AS MATERIALIZED (${links})
      SELECT
        m."version" AS v,
        (SELECT count(*) FROM _d) > ${integer(most)} AS over,
        ${denied} AS denied,
        (SELECT coalesce(json_agg(n), '[]')::text FROM _d AS n) AS units
      FROM ${ident(schema, MODEL_TABLE)} AS m
    `,
    true,
  );
}

/** Whether the caller may link the unit `n`. */
function mayLink(schema: string, kinds: readonly Pick<OtherUnits, 'kind' | 'allowed'>[]): Fragment {
  return byKind(kinds, REACHED_UNIT, ({ kind, allowed }) =>
    allowed ? unitSatisfies(schema, kind, REACHED_UNIT, [allowed]) : sql`true`,
  );
}

/** Others of one kind, and the links with them that are allowed. */
export interface LinksToTest extends Pick<OtherUnits, 'kind' | 'allowed' | 'rule'> {
  readonly ids: readonly string[];
}

/** The ids of the others with which a link is not allowed. */
export interface RefusedLinksRow {
  readonly v: string;
  readonly refused: readonly string[];
}

/**
 * One row `RefusedLinksRow`. The units are locked against deletion. A lock against edits would conflict with the locks of
 * another request that replaces links of one of them, in an order that cannot be fixed.
 */
export function refusedLinksStatement(set: LinkSet, { kind, allowed, rule, ids }: LinksToTest): Statement {
  const { schema, direction, id } = set;
  const [parent, child, parentKind] = direction === 'child' ? ['u', 't', set.kind] : ['t', 'u', kind];
  const tests = [
    ...(allowed ? rowConditions(schema, parentKind, [allowed], parent) : []),
    ...(rule ? [conditionOnRows(schema, rule, { parent, child })] : []),
  ];
  const own = columnRef(set.kind.keyField, 'u');
  const units = sql`
    SELECT (${idText(kind)})::text AS id, (${tests.length > 0 ? all(tests) : sql`true`}) IS TRUE AS allowed
    FROM ${kindTable(schema, set.kind)} AS u
    CROSS JOIN ${kindTable(schema, kind)} AS t
    WHERE ${own} = ${param(id)}::${columnType(set.kind.keyField.columnType)} AND ${hasKeyIn(kind, ids)}
  `;
  return render(
    sql`
      WITH _r AS MATERIALIZED (${units})
      SELECT
        m."version" AS v,
        (SELECT coalesce(json_agg(r.id) FILTER (WHERE NOT r.allowed), '[]') FROM _r AS r) AS refused
      FROM ${ident(schema, MODEL_TABLE)} AS m
    `,
    true,
  );
}
