/** What may stand in queries and headers, each once, by the name of its component. Pure. */
import type { QueryName } from '../../http/route/query-names.js';
import { LIMITS } from '../../shared/limits.js';
import type { Parameter, Schema } from './openapi.js';

/** No comma, which parts them, and not only white space. */
const ID: Schema = { type: 'string', minLength: 1, pattern: '^[^,]*[^,\\s][^,]*$' };
const IDS: Schema = { type: 'array', items: ID, minItems: 1 };

const NAME = '[^.,;()[\\]"\\s]+';
/** A parameter, or a path over references and into JSON, whose keys may be quoted. */
const PATH = `${NAME}(?:\\.(?:${NAME}|"(?:[^"\\\\,;]|\\\\["\\\\])*"))*`;
const PATHS: Schema = { type: 'array', items: { type: 'string', pattern: `^${PATH}$` }, minItems: 1 };

const query = (name: string, description: string, schema: Schema, extra: Partial<Parameter> = {}): Parameter => ({
  name,
  in: 'query',
  description,
  schema,
  ...extra,
});

export const QUERY_PARAMETERS = {
  offset: query('offset', 'How many to pass over.', {
    type: 'integer',
    minimum: 0,
    maximum: LIMITS.offsetMax,
    default: 0,
  }),
  limit: query('limit', 'How many at most; 0 gives the count alone.', {
    type: 'integer',
    minimum: 0,
    maximum: LIMITS.pageMax,
    default: LIMITS.pageDefault,
  }),
  order: query(
    'order',
    '`<parameter>;asc` or `<parameter>;desc`, as many as you like. Paths over references are dotted: `country.name;asc`.',
    {
      type: 'array',
      items: { type: 'string', pattern: `^${PATH};(asc|desc)$` },
      minItems: 1,
      maxItems: LIMITS.orderTerms,
    },
    { style: 'form', explode: true },
  ),
  filter: query(
    'filter',
    'An expression such as `and(eq(code,IT),gt(population,1000))`. Operators: `eq`, `ne`, `lt`, `lte`, `gt` (also `ge`), `gte` (also `get`), `in`, `isnull`, `contains`, `icontains`, `startswith`, `istartswith`, `endswith`, `iendswith`; `and`, `or`, `not`.',
    { type: 'string', minLength: 1, maxLength: LIMITS.filterBytes },
  ),
  include: query('include', 'The parameters to answer, and dotted paths over references; others are left out.', PATHS, {
    style: 'form',
    explode: false,
  }),
  exclude: query('exclude', 'The parameters to leave out. Not with `include`.', PATHS, {
    style: 'form',
    explode: false,
  }),
  count: query('count', 'Whether to count all that match.', {
    type: 'string',
    enum: ['exact', 'none', 'estimated'],
    default: 'exact',
  }),
  cursor: query('cursor', 'Empty for the first page, then the `next` of the page before. Not with `offset`.', {
    type: 'string',
  }),
  load_links: query('load_links', 'Answers the linked units along.', { type: 'boolean', default: false }),
  depth: query('depth', 'How many steps further linked units may be.', {
    type: 'integer',
    minimum: 0,
    maximum: 10,
    default: 0,
  }),
  link_ids: query('link_id', 'The link types to follow; all where it is left out.', IDS, {
    style: 'form',
    explode: false,
  }),
  kind_ids: query('kind_id', 'The kinds whose units are answered; all where it is left out.', IDS, {
    style: 'form',
    explode: false,
  }),
  kinds: query(
    'kinds',
    'The kinds whose operations are described, where the document of all would be too large; none where it is empty.',
    { type: 'array', items: ID },
    { style: 'form', explode: false },
  ),
  cascade: query('cascade', 'Does it although something is lost by it.', { type: 'boolean', default: false }),
  member: query('member', 'The id of the member to tell about; a request without a token where it is left out.', {
    type: 'string',
  }),
} as const satisfies Readonly<Record<string, Parameter>>;

/** Those whose names path parameters have too. */
const RENAMED: Partial<Record<QueryName, keyof typeof QUERY_PARAMETERS>> = { link_id: 'link_ids', kind_id: 'kind_ids' };

/** The name of the component of a query parameter. */
export function componentOfQuery(name: QueryName): string {
  return RENAMED[name] ?? name;
}

const version = (name: string, description: string): Parameter => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
});

export const CONDITIONS = {
  IfMatch: version('If-Match', 'The ETag of the version that is to be changed; 412 where it is another by now.'),
  IfNoneMatch: version('If-None-Match', 'An ETag that is known; 304 where it still fits.'),
} as const;
