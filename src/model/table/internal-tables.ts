/** Tables of a project that hold no units: what sign-in needs, and the links between units. Their names begin with `_`, as no kind's does. */
import { PARAMETER_TABLE } from '../built-in/built-in.js';
import { constraintName } from '../names.js';
import type { ColumnType } from '../parameter-type/parameter-type.js';
import type { ColumnShape, IndexShape, TableShape } from './shape.js';

export const SESSION_TABLE = '_session';
export const REFRESH_TABLE = '_refresh_token';
/** The code of a sign-in; one per member, whose id it has. */
export const CODE_TABLE = '_code';
/** Tokens of password recoveries, by their hash. */
export const RECOVERY_TABLE = '_recovery';
/** Attempts of the last minutes, by the hash of account and address. */
export const THROTTLE_TABLE = '_throttle';
/** Links from unit to unit. Ids are texts as responses show them, because a link may be between any two kinds. */
export const LINK_TABLE = '_link';

const column = (name: string, type: ColumnType, notNull = true): ColumnShape => ({ name, type, array: false, notNull });
const arrayColumn = (name: string, type: ColumnType): ColumnShape => ({ name, type, array: true, notNull: true });

type Indexed = string | readonly string[];

function table(
  name: string,
  columns: readonly ColumnShape[],
  indexed: readonly Indexed[],
  key: readonly string[] = ['id'],
): TableShape {
  const indexes = indexed.map((each): IndexShape => {
    const of = typeof each === 'string' ? [each] : each;
    return { name: constraintName(name, of, 'idx'), columns: of, unique: false, method: 'btree' };
  });
  return {
    name,
    key,
    columns: new Map(columns.map((each) => [each.name, each])),
    indexes: new Map(indexes.map((each) => [each.name, each])),
    foreignKeys: new Map(),
  };
}

export const INTERNAL_TABLES: readonly TableShape[] = [
  table(
    SESSION_TABLE,
    [
      column('id', 'uuid'),
      column('member_kind', 'text'),
      column('member_id', 'uuid'),
      column('started_at', 'timestamptz'),
      column('expires_at', 'timestamptz'),
    ],
    ['member_id', 'expires_at'],
  ),
  table(
    REFRESH_TABLE,
    [
      column('id', 'uuid'),
      column('session_id', 'uuid'),
      column('issued_at', 'timestamptz'),
      column('used_at', 'timestamptz', false),
      column('successor', 'uuid', false),
    ],
    ['session_id'],
  ),
  table(
    CODE_TABLE,
    [
      column('id', 'uuid'),
      column('hash', 'text'),
      column('tries', 'bigint'),
      column('used_at', 'timestamptz', false),
      column('expires_at', 'timestamptz'),
    ],
    [],
  ),
  table(
    RECOVERY_TABLE,
    [
      column('id', 'text'),
      column('member_id', 'uuid'),
      column('made_at', 'timestamptz'),
      column('expires_at', 'timestamptz'),
    ],
    ['member_id'],
  ),
  table(
    THROTTLE_TABLE,
    [
      column('id', 'text'),
      column('allowed', 'bigint'),
      arrayColumn('attempts', 'timestamptz'),
      column('expires_at', 'timestamptz'),
    ],
    ['expires_at'],
  ),
  // Both directions are read from an index alone, in the order in which units of one distance are answered.
  table(
    LINK_TABLE,
    [
      column('parent_kind', 'text'),
      column('parent_id', 'text'),
      column('child_kind', 'text'),
      column('child_id', 'text'),
      column('link_id', 'text'),
      column('inserted_at', 'timestamptz'),
    ],
    [['child_kind', 'child_id', 'parent_kind', 'parent_id', 'link_id']],
    ['parent_kind', 'parent_id', 'child_kind', 'child_id', 'link_id'],
  ),
];

/** Columns of the built-in tables that no record shows, by table. */
export const INTERNAL_COLUMNS: ReadonlyMap<string, readonly ColumnShape[]> = new Map([
  // The kinds in whose bodies a parameter was defined; null where it was made on its own.
  [PARAMETER_TABLE, [{ name: 'defined_in', type: 'text', array: true, notNull: false }]],
]);
