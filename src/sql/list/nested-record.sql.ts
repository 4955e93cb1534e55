/**
 * The dotted paths of a record as objects inside one another (`nest`): `author.team.name` is in `author.team`. An object
 * that stands for a reference has the id of the referenced unit, and is null where the reference is.
 */
import type { Field } from '../../model/model.js';
import { conditionOf } from '../../model/predicate/conditional-field.js';
import { segmentsOf } from '../../model/predicate/path.js';
import type { Step, Target } from '../../model/predicate/predicate.js';
import { columnRef, fieldJson } from '../columns.sql.js';
import { join, literal, param, sql, type Fragment } from '../fragment.js';
import type { FileAddresses } from './file-address.sql.js';
import { isHidden, type HiddenName } from './hidden-fields.sql.js';
import type { Lookups } from '../condition/predicate.sql.js';

/** The value of a dotted path; `name` is its key in the record. */
export interface ShownPath {
  readonly name: string;
  readonly target: Target;
  /** Whether the kind lacks the first parameter of the path, so that the value is null. */
  readonly lacking?: true;
  /** How it is made, if it ends at the address of a file. */
  readonly addresses?: FileAddresses;
}

/** A parameter of the unit with the paths that begin at it. */
export interface NestedRoot {
  readonly name: string;
  /** Whether values of referenced units are in it. */
  readonly followed: boolean;
  readonly node: Node;
}

interface Node {
  /** A path that ends here: its value has everything below. */
  path: ShownPath | undefined;
  /** The reference that the object stands for, and those that lead to it. */
  reference: { readonly field: Field; readonly through: readonly Step[] } | undefined;
  readonly inner: Map<string, Node>;
}

/** The roots of the paths, in the order of the paths. Those that only reach into a field that is shown whole are left out. */
export function nestedRoots(paths: readonly ShownPath[], fields: readonly Field[]): NestedRoot[] {
  const top = emptyNode();
  for (const path of paths) place(top, path);
  const whole = new Set(fields.map(({ id }) => id));
  return [...top.inner].flatMap(([name, node]) => {
    const followed = node.reference !== undefined;
    return whole.has(name) && !followed && !isLacking(node) ? [] : [{ name, node, followed }];
  });
}

function emptyNode(): Node {
  return { path: undefined, reference: undefined, inner: new Map() };
}

function place(top: Node, path: ShownPath): void {
  const { through = [] } = path.target;
  const segments = path.lacking ? segmentsOf(path.target).slice(0, 1) : segmentsOf(path.target);
  let node = top;
  for (const [at, name] of segments.entries()) {
    const next = node.inner.get(name) ?? emptyNode();
    node.inner.set(name, next);
    const step = path.lacking ? undefined : through[at];
    if (step) next.reference = { field: step.reference, through: through.slice(0, at) };
    node = next;
  }
  node.path = path;
}

function isLacking({ path }: Node): boolean {
  return path?.lacking === true;
}

/**
 * The value of a root.
 * @param valueOf the value of a path
 */
export function nestedValue(
  { node }: NestedRoot,
  lookups: Lookups,
  valueOf: (path: ShownPath, row: string) => Fragment,
): Fragment {
  const { path, reference, inner } = node;
  if (path && !reference) return valueOf(path, lookups.scopeOf(path.target).row);
  const row = reference && lookups.scopeOf(targetThrough(reference)).row;
  const values = [...inner].flatMap(([name, each]): NamedValue[] => {
    if (reference && name === 'id') return [];
    const value = nestedValue({ name, node: each, followed: false }, lookups, valueOf);
    return [{ name, value, hides: hidesNode(each, lookups) }];
  });
  if (!reference || row === undefined) return objectOf(values);
  const object = objectOf([{ name: 'id', value: fieldJson(reference.field, row), hides: undefined }, ...values]);
  return sql`CASE WHEN ${columnRef(reference.field, row)} IS NOT NULL THEN ${object} END`;
}

function targetThrough({ field, through }: NonNullable<Node['reference']>): Target {
  return { field, keys: [], ...(through.length > 0 && { through }) };
}

/** The name of a root, if units may not show it. */
export function hiddenRoot({ name, node }: NestedRoot, lookups: Lookups): HiddenName[] {
  const hides = hidesNode(node, lookups);
  return hides ? [{ name, hides }] : [];
}

export function isConditionalRoot({ node }: NestedRoot): boolean {
  const target = targetOfNode(node);
  return target !== undefined && conditionOf(target.field) !== undefined;
}

/** Whether the unit that has the field of a node does not show it; undefined if every unit does. */
function hidesNode(node: Node, lookups: Lookups): Fragment | undefined {
  const target = targetOfNode(node);
  return target && isHidden(target, lookups);
}

function targetOfNode({ path, reference }: Node): Target | undefined {
  if (reference) return targetThrough(reference);
  return path && !path.lacking ? path.target : undefined;
}

/** PostgreSQL passes at most 100 arguments to a function. */
const PAIRS_OF_ONE_CALL = 50;

/** A key of JSON can be any text, so the names are values. */
function objectOf(values: readonly NamedValue[]): Fragment {
  const hidesSome = values.some(({ hides }) => hides);
  if (values.length <= PAIRS_OF_ONE_CALL && !hidesSome) {
    return sql`json_build_object(${join(values.map(({ name, value }) => sql`${nameOf(name)}, ${value}`))})`;
  }
  const rows = join(
    values.map(({ name, value, hides }) => sql`(${nameOf(name)}, to_json(${value}), ${hides ?? sql`false`})`),
  );
  return sql`(
    SELECT coalesce(json_object_agg(_v.name, _v.value), '{}')
    FROM (VALUES ${rows}) AS _v(name, value, hidden)
    WHERE NOT _v.hidden
  )`;
}

interface NamedValue {
  readonly name: string;
  readonly value: Fragment;
  /** Where it is true, the object does not have the value; undefined if it always has. */
  readonly hides: Fragment | undefined;
}

function nameOf(name: string): Fragment {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? literal(name) : sql`${param(name)}::text`;
}
