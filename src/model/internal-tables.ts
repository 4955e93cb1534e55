/** Tables of a project that hold no units: sessions and their refresh tokens. Their names begin with `_`, as no kind's does. */
import { constraintName } from './names.js';
import type { ColumnType } from './parameter-type/parameter-type.js';
import type { ColumnShape, IndexShape, TableShape } from './shape.js';

export const SESSION_TABLE = '_session';
export const REFRESH_TABLE = '_refresh_token';

const column = (name: string, type: ColumnType, notNull = true): ColumnShape => ({ name, type, array: false, notNull });

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
];
