/** The query parameters that each sort of endpoint takes; the endpoints refuse all others, and the API document has these. Pure. */
import type { UnitStorage } from '../../model/storage.js';

export type QueryName =
  | 'offset'
  | 'limit'
  | 'order'
  | 'filter'
  | 'include'
  | 'exclude'
  | 'count'
  | 'cursor'
  | 'load_links'
  | 'depth'
  | 'link_id'
  | 'kind_id'
  | 'cascade'
  | 'member'
  | 'kinds';

const SHOWN = ['include', 'exclude'] as const;
const PAGE = ['offset', 'limit', 'order', 'filter', ...SHOWN] as const;
const LINKED = ['load_links', 'depth'] as const;

export const LIST_QUERY = [...PAGE, 'count', 'cursor', ...LINKED] as const satisfies readonly QueryName[];
export const GET_QUERY = [...SHOWN, ...LINKED] as const satisfies readonly QueryName[];

/** `load_links` and `depth` change nothing there: the specification has them for lists and structs alike. */
export const STRUCT_QUERY = [...PAGE, ...LINKED] as const satisfies readonly QueryName[];

/** A walk has no cursor. */
export const WALK_QUERY = [...PAGE, 'count', ...LINKED, 'link_id', 'kind_id'] as const satisfies readonly QueryName[];

/**
 * The query parameters of units by where these are stored. Units of a remote kind have no links, and their source supports
 * no cursor.
 */
export const UNIT_QUERY = {
  table: { list: LIST_QUERY, get: GET_QUERY },
  remote: { list: [...PAGE, 'count'], get: SHOWN },
} as const satisfies Record<UnitStorage['type'], Record<'list' | 'get', readonly QueryName[]>>;

export const CASCADE_QUERY = ['cascade'] as const satisfies readonly QueryName[];
export const MEMBER_QUERY = ['member'] as const satisfies readonly QueryName[];
/** Of the API document. */
export const KINDS_QUERY = ['kinds'] as const satisfies readonly QueryName[];
export const NO_QUERY: readonly QueryName[] = [];
