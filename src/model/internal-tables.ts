/** Tables of a project that hold no units: what sign-in needs. Their names begin with `_`, as no kind's does. */
import { constraintName } from './names.js';
import type { ColumnType } from './parameter-type/parameter-type.js';
import type { ColumnShape, IndexShape, TableShape } from './shape.js';

export const SESSION_TABLE = '_session';
export const REFRESH_TABLE = '_refresh_token';
/** The code of a sign-in; one per member, whose id it has. */
export const CODE_TABLE = '_code';
/** Tokens of password recoveries, by their hash. */
export const RECOVERY_TABLE = '_recovery';
/** Attempts of the last minutes, by the hash of account and address. */
export const THROTTLE_TABLE = '_throttle';

const column = (name: string, type: ColumnType, notNull = true): ColumnShape => ({ name, type, array: false, notNull });
const list = (name: string, type: ColumnType): ColumnShape => ({ name, type, array: true, notNull: true });

function table(name: string, columns: readonly ColumnShape[], indexed: readonly string[]): TableShape {
  const indexes = indexed.map((each): IndexShape => {
    return { name: constraintName(name, [each], 'idx'), columns: [each], unique: false, method: 'btree' };
  });
  return {
    name,
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
      list('attempts', 'timestamptz'),
      column('expires_at', 'timestamptz'),
    ],
    ['expires_at'],
  ),
];
