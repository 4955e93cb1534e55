/**
 * Tables of a project without units: for sign-in, and for links. Their names begin with `_`, unlike ids of kinds.
 *
 * Values of units, which erasing has to find, are in `_outbox` and `_change` (`before`, `after`), in `_idempotency`
 * (`content`), in `_task` (`body`, what is sent; `report`, why it failed, in words that may quote values), in `_upload`
 * (`metadata`, for a day), and in words in `_run` (`text`).
 */
import { PARAMETER_TABLE } from '../built-in/built-in.js';
import { constraintName, LINK_TABLE } from '../names.js';
import type { ColumnType } from '../parameter-type/parameter-type.js';
import type { ColumnShape, IndexShape, TableShape } from './shape.js';

export const SESSION_TABLE = '_session';
export const REFRESH_TABLE = '_refresh_token';
/** Codes and tokens that work once; `id` is what they are for, and their holder or the hash of the token. */
export const ONE_TIME_TABLE = '_one_time';
/** Recent sign-in attempts and mails, by limit; `id` is a hash of the limited account, address or member. */
export const THROTTLE_TABLE = '_throttle';
/**
 * The number of units of each table, as changes: a write appends a row, and rows of a table are added up to one from time
 * to time. Appended rows never conflict, so writers of one kind do not wait for each other. It has no key.
 */
export const COUNT_TABLE = '_count';
/** Answers of requests with an idempotency key; `id` is the member and the key. */
export const IDEMPOTENCY_TABLE = '_idempotency';
/** Changes of units that have no number yet, in the order in which they were written. */
export const OUTBOX_TABLE = '_outbox';
/** Changes of units with their numbers. */
export const CHANGE_TABLE = '_change';
/** The last number, in its only row. */
export const FEED_TABLE = '_feed';
/** The indexes that slow queries lack, how often these ran, and how long they took; `id` is the kind and its parameters. */
export const QUERY_TABLE = '_query';
/** Runs of scheduled functions. */
export const RUN_TABLE = '_run';
/** Calls of agents, by the id of their key. */
export const AGENT_CALL_TABLE = '_agent_call';
/** How far each of those who follow changes has come (`changes/follow/`); `id` is its type and name. */
export const FOLLOWER_TABLE = '_follower';
/** Changes that a follower has taken and not done yet, or has failed to, or whose end it keeps. */
export const TASK_TABLE = '_task';
/** Objects in the store that no file has: uploads under way, and contents that were replaced or deleted; `id` is the key. */
export const UNUSED_OBJECT_TABLE = '_unused_object';
/** Resumable uploads, until they expire. */
export const UPLOAD_TABLE = '_upload';
/** What holds for all files, in its only row. */
export const FILES_TABLE = '_files';
/** What holds for all members, in its only row. */
export const MEMBERS_TABLE = '_members';

const column = (name: string, type: ColumnType, notNull = true): ColumnShape => ({ name, type, array: false, notNull });
const arrayColumn = (name: string, type: ColumnType): ColumnShape => ({ name, type, array: true, notNull: true });

/** What is recorded of a change. */
const CHANGE_COLUMNS: readonly ColumnShape[] = [
  column('origin', 'jsonb'),
  column('operation', 'text'),
  column('kind', 'text'),
  column('unit', 'text'),
  column('version', 'bigint'),
  column('before', 'jsonb', false),
  column('after', 'jsonb', false),
];

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
    checks: new Map(),
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
      column('used_at', 'timestamptz', false),
      column('address', 'text', false),
      column('user_agent', 'text', false),
      // When the member last proved who it is; null: at the start.
      column('proved_at', 'timestamptz', false),
      // Whether its member has used an app or a passkey in it, or set one up.
      column('second_step', 'boolean', false),
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
    ONE_TIME_TABLE,
    [
      column('id', 'text'),
      // Of a code.
      column('hash', 'text', false),
      column('member_id', 'uuid', false),
      // What it was made for, in detail.
      column('data', 'jsonb'),
      column('tries', 'bigint'),
      column('expires_at', 'timestamptz'),
    ],
    ['member_id', 'expires_at'],
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
  table(
    IDEMPOTENCY_TABLE,
    [
      column('id', 'text'),
      column('request', 'text'),
      column('hash', 'text'),
      column('expires_at', 'timestamptz'),
      column('status', 'bigint', false),
      column('content', 'text', false),
      column('headers', 'text', false),
    ],
    ['expires_at'],
  ),
  // Each direction has an index for index-only scans, in the order in which units of one distance are returned.
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
  table(COUNT_TABLE, [column('table', 'text'), column('change', 'bigint')], ['table'], []),
  table(OUTBOX_TABLE, [{ ...column('id', 'bigint'), identity: true }, ...CHANGE_COLUMNS], []),
  table(
    CHANGE_TABLE,
    [column('seq', 'bigint'), column('outbox', 'bigint'), ...CHANGE_COLUMNS],
    [
      ['kind', 'unit', 'seq'],
      ['kind', 'seq'],
    ],
    ['seq'],
  ),
  table(
    FEED_TABLE,
    [column('id', 'bigint'), column('epoch', 'text'), column('last', 'bigint'), column('kept', 'bigint')],
    [],
  ),
  table(
    QUERY_TABLE,
    [
      column('id', 'text'),
      column('calls', 'bigint'),
      column('milliseconds', 'double precision'),
      column('missing', 'jsonb', false),
      column('since', 'timestamptz'),
      column('seen_at', 'timestamptz'),
    ],
    [],
  ),
  table(
    RUN_TABLE,
    [
      column('id', 'uuid'),
      column('kind_id', 'text'),
      column('function', 'text'),
      column('tick', 'timestamptz'),
      column('started_at', 'timestamptz', false),
      column('ended_at', 'timestamptz', false),
      column('outcome', 'text'),
      column('code', 'text', false),
      column('text', 'text', false),
      column('file', 'text', false),
      column('line', 'bigint', false),
    ],
    ['tick', ['kind_id', 'function', 'tick']],
  ),
  table(
    AGENT_CALL_TABLE,
    [
      column('id', 'uuid'),
      column('key', 'uuid'),
      column('at', 'timestamptz'),
      column('tool', 'text'),
      column('kind_id', 'text', false),
      column('number', 'bigint', false),
      column('outcome', 'text'),
    ],
    ['at', ['key', 'at']],
  ),
  table(
    FOLLOWER_TABLE,
    [
      column('id', 'text'),
      // The number of the last change that it has taken, or passed over.
      column('seq', 'bigint'),
      // When somebody looked for it last.
      column('seen_at', 'timestamptz'),
      // Nobody looks for it.
      column('paused', 'boolean'),
    ],
    [],
  ),
  table(
    TASK_TABLE,
    [
      column('id', 'uuid'),
      column('follower', 'text'),
      column('seq', 'bigint'),
      column('operation', 'text'),
      column('kind', 'text'),
      // Of a link, its parent: tasks of one unit are done one after the other.
      column('unit', 'text'),
      column('version', 'bigint'),
      column('state', 'text'),
      column('attempts', 'bigint'),
      column('next_at', 'timestamptz', false),
      // The service that has begun it.
      column('holder', 'uuid', false),
      column('ended_at', 'timestamptz', false),
      column('report', 'jsonb', false),
      column('body', 'text', false),
    ],
    [
      ['follower', 'state', 'seq'],
      ['state', 'ended_at'],
    ],
  ),
  // From `goes_at` on an object may be removed.
  table(
    UNUSED_OBJECT_TABLE,
    [
      column('id', 'text'),
      column('goes_at', 'timestamptz'),
      // Of a part of a resumable upload: which one, and where it begins.
      column('upload', 'uuid', false),
      column('offset', 'bigint', false),
      // Of a part, and of what files have left, which is counted in `FILES_TABLE`.
      column('bytes', 'bigint', false),
    ],
    ['goes_at', 'upload'],
  ),
  table(
    UPLOAD_TABLE,
    [
      column('id', 'uuid'),
      column('member', 'uuid'),
      // The header `Upload-Metadata`, as it came.
      column('metadata', 'text'),
      // Bytes that it will have, and those that its parts have; none when the file is there.
      column('length', 'bigint'),
      column('stored', 'bigint'),
      column('parts', 'bigint'),
      column('file', 'uuid', false),
      // The request that has it now, and until when if it does not say so again; whether another one waits for it.
      column('holder', 'uuid', false),
      column('held_until', 'timestamptz', false),
      column('wanted', 'boolean'),
      column('expires_at', 'timestamptz'),
    ],
    ['member', 'expires_at'],
  ),
  table(
    FILES_TABLE,
    [
      column('id', 'bigint'),
      // Of all contents.
      column('bytes', 'bigint'),
      // Of those that files have left, until they are removed.
      column('left_bytes', 'bigint', false),
      // The number that signed addresses are made with.
      column('epoch', 'bigint'),
      // Until then no object is removed, as a backup reads them.
      column('kept_until', 'timestamptz', false),
    ],
    [],
  ),
  table(
    MEMBERS_TABLE,
    [
      column('id', 'bigint'),
      // Since when the project has a release that verifies addresses. A reset empties accounts made since.
      column('verifies_since', 'timestamptz'),
    ],
    [],
  ),
];

/** Tables of former releases, with codes and tokens that lasted an hour at most; upgrades drop them. */
export const RETIRED_TABLES: readonly string[] = ['_code', '_recovery'];

/** Columns of built-in tables that records do not show, by table. */
export const INTERNAL_COLUMNS: ReadonlyMap<string, readonly ColumnShape[]> = new Map([
  // The kinds in whose bodies a parameter was defined; null if it was created on its own.
  [PARAMETER_TABLE, [{ name: 'defined_in', type: 'text', array: true, notNull: false }]],
]);
