/** The query parameters of each type of endpoint. Endpoints refuse all others; the API document lists them. Pure. */
import type { UnitStorage } from '../../model/storage.js';

export type QueryName =
  | 'offset'
  | 'limit'
  | 'order'
  | 'filter'
  | 'search'
  | 'include'
  | 'exclude'
  | 'nest'
  | 'count'
  | 'cursor'
  | 'load_links'
  | 'depth'
  | 'link_id'
  | 'kind_id'
  | 'direction'
  | 'include_linked'
  | 'to_kind'
  | 'to_id'
  | 'cascade'
  | 'dry_run'
  | 'max_affected'
  | 'on_conflict'
  | 'by'
  | 'member'
  | 'child_kind'
  | 'child_id'
  | 'kinds'
  | 'explain'
  | 'select'
  | 'group'
  | 'having'
  | 'timezone'
  | 'format'
  | 'safe'
  | 'errors'
  | 'ids'
  | 'operations'
  | 'since'
  | 'as_of'
  | 'wait'
  | 'name'
  | 'values'
  | 'download'
  | 'size'
  | 'expires'
  | 'signature'
  | 'redirect_to'
  | 'code_challenge'
  | 'state'
  | 'link'
  | 'login_hint'
  | 'prompt'
  | 'as'
  | 'allow_loss'
  | 'allow_open';

/** Of an upload whose body is the content. */
export const UPLOAD_QUERY = ['name', 'values'] as const satisfies readonly QueryName[];
/** Of the content of a file. */
export const CONTENT_QUERY = ['download', 'size', 'format'] as const satisfies readonly QueryName[];
/** Of its address without a header. */
export const ADDRESS_QUERY = [...CONTENT_QUERY, 'expires', 'signature'] as const satisfies readonly QueryName[];

/** Of the types of a client. */
export const CLIENT_QUERY = ['as'] as const satisfies readonly QueryName[];

/** Of a sign-in with an identity provider. */
export const START_QUERY = [
  'redirect_to',
  'code_challenge',
  'state',
  'link',
  'login_hint',
  'prompt',
] as const satisfies readonly QueryName[];

/** What an identity provider answers with, in the query or in a form (OpenID Connect Core, RFC 9207). */
export const ANSWER_NAMES = ['code', 'state', 'iss', 'error'];

const FIELD_NAMES = ['include', 'exclude'] as const;
/** Of a list that can't be filtered. */
export const PAGE_QUERY = ['offset', 'limit'] as const satisfies readonly QueryName[];
/** Of the list of functions. */
export const FUNCTIONS_QUERY = [...PAGE_QUERY, 'kind_id'] as const satisfies readonly QueryName[];
const PAGE_NAMES = [...PAGE_QUERY, 'order', 'filter', ...FIELD_NAMES] as const;
const LINK_NAMES = ['load_links', 'depth'] as const;
/** What `load_links` obeys in lists and gets of units. */
export const LOADED_NAMES = ['link_id', 'kind_id', 'direction', 'include_linked'] as const;
/** Of answers with values of referenced units. */
const NEST_NAMES = ['nest'] as const;

/** Of a list of definitions, which have no texts to search. */
export const LIST_QUERY = [
  ...PAGE_NAMES,
  ...NEST_NAMES,
  'count',
  'cursor',
  ...LINK_NAMES,
] as const satisfies readonly QueryName[];
/** Of a list of units. */
export const UNITS_QUERY = [...LIST_QUERY, ...LOADED_NAMES, 'search'] as const satisfies readonly QueryName[];

/** What lists and traversals have besides, for administrators. It is taken off before the query is parsed. */
const EXPLAIN_NAMES = ['explain'] as const;

/** Of the endpoint of a list. */
export const LIST_ENDPOINT_QUERY = [...UNITS_QUERY, ...EXPLAIN_NAMES] as const satisfies readonly QueryName[];
export const GET_QUERY = [
  ...FIELD_NAMES,
  ...NEST_NAMES,
  ...LINK_NAMES,
  ...LOADED_NAMES,
] as const satisfies readonly QueryName[];

/** Of the endpoint of one unit. */
export const GET_ENDPOINT_QUERY = [...GET_QUERY, 'as_of'] as const satisfies readonly QueryName[];

/** `load_links` and `depth` have no effect: the specification accepts them for structs as for lists. */
export const STRUCT_QUERY = [...PAGE_NAMES, ...LINK_NAMES] as const satisfies readonly QueryName[];

export const WALK_QUERY = [...LIST_QUERY, 'link_id', 'kind_id'] as const satisfies readonly QueryName[];

/** Of the endpoint of a traversal. */
export const WALK_ENDPOINT_QUERY = [...WALK_QUERY, ...EXPLAIN_NAMES] as const satisfies readonly QueryName[];

/** Of the shortest path between two units. */
export const PATH_QUERY = [
  'to_kind',
  'to_id',
  'direction',
  'link_id',
  'depth',
  ...FIELD_NAMES,
  ...NEST_NAMES,
] as const satisfies readonly QueryName[];

/** Of the endpoint of a path. */
export const PATH_ENDPOINT_QUERY = [...PATH_QUERY, ...EXPLAIN_NAMES] as const satisfies readonly QueryName[];

const REMOTE_AGGREGATE_QUERY = [
  'select',
  'group',
  'filter',
  'having',
  'order',
  'limit',
  'offset',
  'timezone',
] as const satisfies readonly QueryName[];

export const AGGREGATE_QUERY = [...REMOTE_AGGREGATE_QUERY, 'search'] as const satisfies readonly QueryName[];

/** Of the endpoint of an aggregation. */
export const AGGREGATE_ENDPOINT_QUERY = [...AGGREGATE_QUERY, ...EXPLAIN_NAMES] as const satisfies readonly QueryName[];

/** Of previews of access, for units of all kinds: what sources of remote kinds list too. */
export const PREVIEW_QUERY = [...PAGE_NAMES, 'count'] as const satisfies readonly QueryName[];

/** Units of remote kinds have no links, and their sources no cursor. */
export const UNIT_QUERY = {
  table: { list: UNITS_QUERY, get: GET_QUERY, aggregate: AGGREGATE_QUERY },
  remote: { list: PREVIEW_QUERY, get: FIELD_NAMES, aggregate: REMOTE_AGGREGATE_QUERY },
} as const satisfies Record<UnitStorage['type'], Record<'list' | 'get' | 'aggregate', readonly QueryName[]>>;

/** Of an export: what selects and orders its units, and the form of the file. */
export const EXPORT_QUERY = ['format', 'filter', 'order', 'include', 'safe'] as const satisfies readonly QueryName[];

/** Of what has changed. */
export const CHANGES_QUERY = [
  'kinds',
  'operations',
  'filter',
  ...FIELD_NAMES,
  'since',
  'limit',
  'wait',
] as const satisfies readonly QueryName[];

/** Of live lists, and of a single unit of one. */
export const LIVE_QUERY = [
  'limit',
  'order',
  'filter',
  ...FIELD_NAMES,
  ...NEST_NAMES,
  'count',
] as const satisfies readonly QueryName[];
export const LIVE_UNIT_QUERY = [...FIELD_NAMES, ...NEST_NAMES] as const satisfies readonly QueryName[];

/** Of the history of units. */
export const HISTORY_QUERY = [
  ...PAGE_QUERY,
  'order',
  'filter',
  'count',
  'cursor',
] as const satisfies readonly QueryName[];

/** Of a unit as it was. */
export const PAST_QUERY = [...FIELD_NAMES, 'as_of'] as const satisfies readonly QueryName[];

/** Of edits and deletions by filter. */
export const MATCHING_QUERY = [
  'filter',
  'max_affected',
  'include',
  ...NEST_NAMES,
] as const satisfies readonly QueryName[];

/** What is answered of written units. */
export const WRITTEN_QUERY = ['include', ...NEST_NAMES] as const satisfies readonly QueryName[];

/** Of creates that may find units instead. */
export const UPSERT_QUERY = ['on_conflict', 'by'] as const satisfies readonly QueryName[];

export const IMPORT_QUERY = [
  'format',
  ...UPSERT_QUERY,
  'errors',
  'ids',
  'dry_run',
] as const satisfies readonly QueryName[];

/** Of what makes a project what a model file says. */
export const APPLY_QUERY = ['allow_loss', 'allow_open'] as const satisfies readonly QueryName[];

export const CASCADE_QUERY = ['cascade'] as const satisfies readonly QueryName[];
/** Of writes that can be tried. `run/run.interceptor.ts` takes it off the URL. */
export const DRY_RUN_QUERY = ['dry_run'] as const satisfies readonly QueryName[];
/** Of endpoints that create units. */
export const CREATE_ENDPOINT_QUERY = [
  ...UPSERT_QUERY,
  ...WRITTEN_QUERY,
  ...DRY_RUN_QUERY,
] as const satisfies readonly QueryName[];
/** Of endpoints that write all units that match. */
export const MATCHING_ENDPOINT_QUERY = [...MATCHING_QUERY, ...DRY_RUN_QUERY] as const satisfies readonly QueryName[];
/** Of endpoints that edit a unit. */
export const UPDATE_ENDPOINT_QUERY = [
  ...CASCADE_QUERY,
  ...WRITTEN_QUERY,
  ...DRY_RUN_QUERY,
] as const satisfies readonly QueryName[];
/** Of endpoints that delete. */
export const DELETE_ENDPOINT_QUERY = [...CASCADE_QUERY, ...DRY_RUN_QUERY] as const satisfies readonly QueryName[];
/** Of explanations of access: a member, and the child of a link. */
export const EXPLANATION_QUERY = ['member', 'child_kind', 'child_id'] as const satisfies readonly QueryName[];
/** Of the API document. */
export const KINDS_QUERY = ['kinds'] as const satisfies readonly QueryName[];
/** With these alone, a read shows whole units and nothing else, and chooses them by no value. */
export const PLAIN_QUERY = [...PAGE_QUERY, 'count'] as const satisfies readonly QueryName[];
/** With these alone, a write shows whole units, or their number. */
export const PLAIN_WRITE_QUERY = [
  ...UPSERT_QUERY,
  ...CASCADE_QUERY,
  'filter',
  'max_affected',
] as const satisfies readonly QueryName[];
export const NO_QUERY: readonly QueryName[] = [];
