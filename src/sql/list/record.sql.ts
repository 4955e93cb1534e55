/** The record of a unit: its fields, and the values of dotted paths, with the paths as keys. */
import type { Field } from '../../model/model.js';
import { conditionOf } from '../../model/predicate/conditional-field.js';
import type { Target } from '../../model/predicate/predicate.js';
import { columnRef, fieldJson, selectList } from '../columns.sql.js';
import { EMPTY_SQL, ident, join, param, sql, type Fragment } from '../fragment.js';
import {
  hasConditions,
  hiddenColumn,
  hiddenFields,
  hiddenNames,
  isHidden,
  withoutHidden,
  type HiddenName,
} from './hidden-fields.sql.js';
import {
  hiddenRoot,
  isConditionalRoot,
  nestedRoots,
  nestedValue,
  type NestedRoot,
  type ShownPath,
} from './nested-record.sql.js';
import { Lookups } from '../condition/predicate.sql.js';
import { whereFound } from '../condition/operator.sql.js';
import { addressSql } from './file-address.sql.js';
import { relatedColumns, type ShownRelated } from './related-record.sql.js';
import { rightsColumn, type ShownRights } from './unit-rights.sql.js';
import { snippetColumn, type ShownSnippet } from '../condition/search.sql.js';

interface RecordContents {
  readonly schema: string;
  readonly fields: readonly Field[];
  readonly paths?: readonly ShownPath[];
  readonly related?: readonly ShownRelated[];
  readonly snippets?: readonly ShownSnippet[];
  readonly can?: ShownRights;
  /** Whether the paths are objects inside one another, instead of flat keys. */
  readonly nest?: boolean;
  /** A further column, `expression AS "name"`. */
  readonly also?: Fragment;
}

/** PostgreSQL cuts longer names off. Ids of fields are never longer, but paths can be. */
const NAME_BYTES = 63;

/** `expression AS "name"` for everything in the record of the row `t`; needs `referencedValues` in FROM. */
export function recordColumns(contents: RecordContents): Fragment {
  const { fields, paths = [], also, nest } = contents;
  const terms = termColumns(contents);
  if (paths.length === 0 && terms.length === 0 && !also && !hasConditions(fields)) return selectList(fields);
  if (nest) return nestedColumns(contents);
  const own = fields.length > 0 ? [selectList(fields)] : [];
  const more = paths.map((path, at) => {
    const key = ident(columnAlias(path.name, at));
    return isBehindReference(path) ? sql`_p.${key}` : sql`${pathValue(path, 't')} AS ${key}`;
  });
  return join([...own, ...more, ...terms, ...(also ? [also] : []), ...hiddenOf(contents)]);
}

/** The column of the names that the JSON of the row leaves out; none if it shows all. */
function hiddenOf(contents: RecordContents): Fragment[] {
  const { schema, fields, paths = [], nest } = contents;
  if (!hasConditions(fields) && !paths.some(isConditionalPath)) return [];
  const lookups = new Lookups(schema, 't');
  const roots = new Map((nest ? nestedRoots(paths, fields) : []).map((root) => [root.name, root]));
  const own = hiddenFields(
    schema,
    fields.filter(({ id }) => !roots.has(id)),
  );
  const ofRow = nest
    ? [...roots.values()].filter(({ followed }) => !followed).flatMap((root) => hiddenRoot(root, lookups))
    : paths.flatMap((path, at) => (isBehindReference(path) ? [] : hiddenPath(path, at, lookups)));
  const hides = hidesReferenced(contents) ? sql`_p."_hidden"` : undefined;
  return [hiddenColumn(own, hiddenNames(ofRow), hides)].flatMap((column) => column ?? []);
}

/** Whether units may hide values of dotted paths, so that the subquery `_p` has a column `_hidden`. */
function hidesReferenced({ fields, paths = [], nest }: RecordContents): boolean {
  if (!nest) return paths.some((path) => isBehindReference(path) && isConditionalPath(path));
  return nestedRoots(paths, fields).some((root) => root.followed && isConditionalRoot(root));
}

function isConditionalPath({ target, lacking }: ShownPath): boolean {
  return !lacking && fieldsAlongTarget(target).some((each) => conditionOf(each.field) !== undefined);
}

/** The targets of the references of a path, and of its end. */
function fieldsAlongTarget(target: Target): Target[] {
  const { through = [] } = target;
  const steps = through.map(({ reference }, at): Target => {
    return { field: reference, keys: [], ...(at > 0 && { through: through.slice(0, at) }) };
  });
  return [...steps, target];
}

/** The name of a path, if a unit on it may not show its value. */
function hiddenPath(path: ShownPath, at: number, lookups: Lookups): HiddenName[] {
  if (!isConditionalPath(path)) return [];
  const hides = fieldsAlongTarget(path.target).flatMap((target) => isHidden(target, lookups) ?? []);
  return [{ name: columnAlias(path.name, at), hides: sql`(${join(hides, ' OR ')})` }];
}

/** The columns of functions. */
function termColumns({ schema, related = [], snippets = [], can }: RecordContents): Fragment[] {
  const rights = can ? [rightsColumn(schema, can)] : [];
  return [...relatedColumns(schema, related), ...snippets.map((each) => snippetColumn(schema, each)), ...rights];
}

/** An object replaces the field of its reference. */
function nestedColumns(contents: RecordContents): Fragment {
  const { schema, fields, paths = [], also } = contents;
  const roots = new Map(nestedRoots(paths, fields).map((root) => [root.name, root]));
  const own = fields.filter(({ id }) => !roots.has(id));
  const nested = [...roots.values()].map((root) => {
    const key = ident(root.name);
    return root.followed ? sql`_p.${key}` : sql`${nestedValue(root, new Lookups(schema, 't'), pathValue)} AS ${key}`;
  });
  const terms = termColumns(contents);
  const more = [...nested, ...terms, ...(also ? [also] : []), ...hiddenOf(contents)];
  return join([...(own.length > 0 ? [selectList(own)] : []), ...more]);
}

/**
 * The values of referenced units in the record of the row `t`, as a subquery `_p` in FROM that follows `before`. It
 * looks each unit up once. `OFFSET 0` keeps PostgreSQL from merging it into the query, so that the rows stay in order
 * and only those on the page are read.
 */
export function referencedValues(
  { schema, fields, paths = [], nest }: Omit<RecordContents, 'also'>,
  before: Fragment,
): Fragment {
  const lookups = new Lookups(schema, 't');
  const roots = nest ? nestedRoots(paths, fields).filter(({ followed }) => followed) : [];
  const values = nest ? nestedValues(roots, lookups) : flatValues(paths, lookups);
  if (values.length === 0) return EMPTY_SQL;
  const hidden = nest
    ? roots.flatMap((root) => hiddenRoot(root, lookups))
    : paths.flatMap((path, at) => (isBehindReference(path) ? hiddenPath(path, at, lookups) : []));
  const names = hiddenColumn(hiddenNames(hidden));
  if (names) values.push(names);
  return sql`${before} (SELECT ${join(values)} FROM (SELECT 1) AS t_0${lookups.joins} OFFSET 0) AS _p`;
}

function nestedValues(roots: readonly NestedRoot[], lookups: Lookups): Fragment[] {
  return roots.map((root) => sql`${nestedValue(root, lookups, pathValue)} AS ${ident(root.name)}`);
}

function flatValues(paths: readonly ShownPath[], lookups: Lookups): Fragment[] {
  return paths.flatMap((path, at) => {
    if (!isBehindReference(path)) return [];
    return [sql`${pathValue(path, lookups.scopeOf(path.target).row)} AS ${ident(columnAlias(path.name, at))}`];
  });
}

/** Precedes `referencedValues` where FROM has the row. */
export const CROSS_JOIN_LATERAL = sql` CROSS JOIN LATERAL`;

/** Whether rows have a column `_hidden`, because some units do not show all fields or paths. */
export function hidesNames(contents: RecordContents): boolean {
  return hiddenOf(contents).length > 0;
}

/** The JSON of a row with the columns of `recordColumns`. */
export function recordJson(contents: RecordContents, row: Fragment): Fragment {
  return withLongNames(contents, hidesNames(contents) ? withoutHidden(row) : row);
}

/** The JSON of a row with these columns. Names that are too long for PostgreSQL are replaced in the JSON. */
export function withLongNames(
  { paths = [], nest = false }: { readonly paths?: readonly { readonly name: string }[]; readonly nest?: boolean },
  row: Fragment,
): Fragment {
  if (nest) return row;
  const long = paths.flatMap(({ name }, at) =>
    columnAlias(name, at) === name ? [] : [[columnAlias(name, at), name] as const],
  );
  if (long.length === 0) return row;
  const names = sql`${param(JSON.stringify(Object.fromEntries(long)))}::json`;
  return sql`(
    SELECT json_object_agg(coalesce(${names} ->> _e.key, _e.key), _e.value)
    FROM json_each(to_json(${row})) AS _e
  )`;
}

/** The name of a column that becomes a key of the JSON. No id of a field begins with `_`. */
export function columnAlias(name: string, at: number): string {
  return Buffer.byteLength(name) > NAME_BYTES ? `_${at}` : name;
}

function isBehindReference({ target, lacking }: ShownPath): boolean {
  return target.through !== undefined && !lacking;
}

/** The value of a path in a row; null if a reference on it leads to no unit. */
function pathValue({ target, lacking, addresses }: ShownPath, row: string): Fragment {
  const { field, keys } = target;
  if (lacking) return sql`NULL::text`;
  if (addresses) return whereFound(target, row, addressSql(addresses, row));
  if (keys.length > 0) return sql`${columnRef(field, row)} #> ${param(keys)}::text[]`;
  return field.constant === undefined ? fieldJson(field, row) : whereFound(target, row, fieldJson(field, row));
}
