/** Query parameters, by the name of their component. Pure. */
import { AGGREGATE_FUNCTIONS, GROUP_FUNCTIONS } from '../../../filter/aggregate.ast.js';
import { EXPRESSION_FUNCTIONS, FIELD_OPERATORS, spellingsOf } from '../../../filter/filter.ast.js';
import { COUNT_FUNCTIONS } from '../../../filter/related.parser.js';
import type { QueryName } from '../../../http/route/query-names.js';
import { FEED_OPERATIONS } from '../../../model/changes.js';
import { OPERATORS } from '../../../model/parameter-type/parameter-type.js';
import { LIMITS } from '../../../shared/limits.js';
import type { OpenApiParameter, Schema } from '../openapi.js';

/** Excludes commas, which separate ids, and white space alone. */
const LISTED_ID: Schema = { type: 'string', minLength: 1, pattern: '^[^,]*[^,\\s][^,]*$' };
const LISTED_IDS: Schema = { type: 'array', items: LISTED_ID, minItems: 1 };

const queryParameterOf = (
  name: string,
  description: string,
  schema: Schema,
  extra: Partial<OpenApiParameter> = {},
): OpenApiParameter => ({
  name,
  in: 'query',
  description,
  schema,
  ...extra,
});

const WRITE_PARAMETERS = {
  name: queryParameterOf('name', 'The name of the file: the body is its content, whatever its type.', {
    type: 'string',
    minLength: 1,
    maxLength: LIMITS.fileName,
  }),
  values: queryParameterOf('values', 'Values of other parameters, as a JSON object.', { type: 'string' }),
  download: queryParameterOf('download', 'Whether the content is to be saved, whatever it is.', {
    type: 'boolean',
    default: false,
  }),
  size: queryParameterOf('size', 'Of a picture: the name of one of the sizes of the project.', {
    type: 'string',
    minLength: 1,
  }),
  image_format: queryParameterOf(
    'format',
    'Of a size; `auto` is webp where the header `Accept` names that, and else png of pictures with transparency and jpeg of others.',
    { type: 'string', enum: ['auto', 'webp', 'jpeg', 'png'], default: 'auto' },
  ),
  expires: queryParameterOf('expires', 'Of a signed address: when it ends.', { type: 'string' }),
  signature: queryParameterOf('signature', 'Of a signed address: that it was made here.', { type: 'string' }),
  redirect_to: queryParameterOf(
    'redirect_to',
    'Where the browser goes on afterwards: one of the addresses in the setting `redirects`, exactly.',
    { type: 'string', format: 'uri' },
    { required: true },
  ),
  code_challenge: queryParameterOf(
    'code_challenge',
    'The SHA-256 of a code verifier that the application keeps, in base64url (RFC 7636, S256).',
    { type: 'string', pattern: '^[A-Za-z0-9_-]{43}$' },
    { required: true },
  ),
  state: queryParameterOf(
    'state',
    'Given back to the application, which has to compare it.',
    { type: 'string', minLength: 1, maxLength: LIMITS.providerState },
    { required: true },
  ),
  link: queryParameterOf('link', 'A ticket, to link the account of the provider to a member that is signed in.', {
    type: 'string',
  }),
  login_hint: queryParameterOf('login_hint', 'Passed on to the provider.', {
    type: 'string',
    maxLength: LIMITS.providerHint,
  }),
  prompt: queryParameterOf('prompt', 'Passed on to the provider.', { type: 'string', maxLength: LIMITS.providerHint }),
  matching_filter: queryParameterOf(
    'filter',
    'Which units: an expression as of a list, such as `eq(state,draft)`; `all()` matches every unit.',
    { type: 'string', minLength: 1, maxLength: LIMITS.filterBytes },
    { required: true },
  ),
  allow_loss: queryParameterOf(
    'allow_loss',
    'Steps of a model file that may lose something, as a plan names them, or `all`.',
    LISTED_IDS,
    { style: 'form', explode: false },
  ),
  allow_open: queryParameterOf(
    'allow_open',
    'Steps of a model file that may let somebody do more, as a plan names them, or `all`.',
    LISTED_IDS,
    { style: 'form', explode: false },
  ),
  max_affected: queryParameterOf(
    'max_affected',
    'The most units that may be changed: 409 where more match, and none is changed.',
    { type: 'integer', minimum: 0, maximum: LIMITS.affectedMax, default: LIMITS.affectedDefault },
  ),
  on_conflict: queryParameterOf(
    'on_conflict',
    'Makes the create an upsert: where a unit has the values of `by` already, it is edited (`update`) or left as it is (`ignore`).',
    { type: 'string', enum: ['update', 'ignore'] },
  ),
  by: queryParameterOf(
    'by',
    'With `on_conflict`: a unique parameter, or all of a compound unique; the primary parameter where it is left out.',
    LISTED_IDS,
    { style: 'form', explode: false },
  ),
  format: queryParameterOf('format', 'The form of the file: CSV with a header row, or one JSON object per line.', {
    type: 'string',
    enum: ['csv', 'ndjson'],
    default: 'csv',
  }),
  safe: queryParameterOf(
    'safe',
    "For spreadsheets: puts `'` before texts that may be formulas: that begin with `=`, `+`, `-`, `@`, a tab or a line break. It is not taken off again.",
    { type: 'boolean', default: false },
  ),
  errors: queryParameterOf(
    'errors',
    'Whether the first records with faults refuse the whole file, or are passed over and answered.',
    { type: 'string', enum: ['stop', 'skip'], default: 'stop' },
  ),
  ids: queryParameterOf('ids', 'Whether units get new ids, or keep those of the file (administrators).', {
    type: 'string',
    enum: ['new', 'keep'],
    default: 'new',
  }),
} as const;

const NAME = '[^.,;()[\\]"\\s]+';
/** A parameter, or a path over references or into JSON, whose keys may be quoted. */
const PATH = `${NAME}(?:\\.(?:${NAME}|"(?:[^"\\\\,;]|\\\\["\\\\])*"))*`;
/** The number of related units; its filter may contain anything. */
const COUNT = `(?:${[...COUNT_FUNCTIONS.keys()].join('|')})\\s*\\(.*\\)`;
/** A number of related units, or some of them, under a name. */
const RELATED_TERM = `[a-z][a-z0-9_]{0,62}\\s*:.+\\)`;
const DISTANCE = `distance\\(${PATH},${PATH},[^,;]+,[^,;]+\\)`;
const SIMILARITY = `similarity\\(${PATH},.+\\)`;
/** A part of a text with the words of the search. */
const SNIPPET = 'snippet\\([^.,:;()[\\]"\\s]+\\)';
/** What the caller may do with a unit. */
const CAN = `(?:[a-z][a-z0-9_]{0,62}:)?can\\(\\)`;
const PATHS: Schema = { type: 'array', items: { type: 'string', pattern: `^${PATH}$` }, minItems: 1 };

const INCLUDED: Schema = {
  type: 'array',
  items: { type: 'string', pattern: `^(?:${PATH}|${RELATED_TERM}|${SNIPPET}|${CAN})$` },
  minItems: 1,
};

/** The operators with their other spellings. Types of text have all of them. */
const OPERATOR_NAMES = [...OPERATORS.text].map((operator) => {
  const [name, ...others] = spellingsOf([operator]).map((spelling) => `\`${spelling}\``);
  return others.length > 0 ? `${name} (also ${others.join(', ')})` : name;
});

/** The name of a component: that of its query parameter, unless a path parameter has the same. */
type QueryComponent =
  | Exclude<QueryName, 'link_id' | 'kind_id' | 'direction'>
  | 'link_ids'
  | 'kind_ids'
  | 'path_direction'
  | 'matching_filter'
  | 'path_depth'
  | 'loaded_link_ids'
  | 'loaded_kind_ids'
  | 'function_kind_ids'
  | 'recorded_kinds'
  | 'recorded_limit'
  | 'image_format'
  | 'loaded_direction';

/** @param route the id of the operation's route: traversals and paths have parameters of the same names as `load_links` */
export function queryComponent(name: QueryName, route: string): QueryComponent {
  const follows = route === 'linked' || route === 'path';
  switch (name) {
    case 'link_id':
      return follows ? 'link_ids' : 'loaded_link_ids';
    case 'kind_id':
      if (route === 'functions') return 'function_kind_ids';
      return follows ? 'kind_ids' : 'loaded_kind_ids';
    case 'direction':
      return follows ? 'path_direction' : 'loaded_direction';
    case 'kinds':
    case 'limit':
      return route === 'changes' ? `recorded_${name}` : name;
    case 'filter':
      return route === 'updateAll' || route === 'deleteAll' ? 'matching_filter' : name;
    case 'format':
      return route === 'content' || route === 'address' ? 'image_format' : name;
    case 'depth':
      return route === 'path' ? 'path_depth' : name;
    default:
      return name;
  }
}

export const QUERY_PARAMETERS: Readonly<Record<QueryComponent, OpenApiParameter>> = {
  ...WRITE_PARAMETERS,
  offset: queryParameterOf('offset', 'How many to pass over.', {
    type: 'integer',
    minimum: 0,
    maximum: LIMITS.offsetMax,
    default: 0,
  }),
  limit: queryParameterOf('limit', 'How many at most; 0 gives the count alone.', {
    type: 'integer',
    minimum: 0,
    maximum: LIMITS.pageMax,
    default: LIMITS.pageDefault,
  }),
  order: queryParameterOf(
    'order',
    '`<parameter>;asc` or `<parameter>;desc`, as many as you like; also `<parameter>` and `-<parameter>`. Paths over references are dotted: `country.name;asc`; numbers of related units are counted or summed: `-count_related(comment.article)`, `sum_related(line.order,mul(quantity,price));desc`; `similarity(name,"Jon Smith");desc` has the texts first that are most like it; distances from a point are kilometres: `distance(latitude,longitude,41.9,12.5)`; `by_value(state)` is by the order of the `values` of a parameter; `-rank()` has the units first that match the search best. Of linked units, `link.inserted_at;desc` is by the link that leads to them. `;nulls_first` or `;nulls_last` at the end says where nulls come, which is otherwise last ascending and first descending.',
    {
      type: 'array',
      items: {
        type: 'string',
        pattern: `^(?:${PATH}|-?${COUNT}|-?${DISTANCE}|-?${SIMILARITY}|-?by_value\\(${PATH}\\)|-?rank\\(\\))(?:;(?:asc|desc|ASC|DESC))?(?:;nulls_(?:first|last))?$`,
      },
      minItems: 1,
      maxItems: LIMITS.orderTerms,
    },
    { style: 'form', explode: true },
  ),
  filter: queryParameterOf(
    'filter',
    `An expression such as \`and(eq(code,IT),gt(population,1000))\`. Values need no quotes; \`"\` encloses a value where it is needed, and \`'\` is an ordinary character: \`eq(name,'Rome')\` compares with the text \`'Rome'\`, single quotes included. Operators: ${OPERATOR_NAMES.join(', ')}; \`and\`, \`or\`, \`not\`, \`all()\` for every unit; and of related units \`exists(comment.article,eq(state,new))\`, \`gt(count_related(comment.article),5)\`, \`gt(sum_related(line.order,mul(quantity,price)),100)\`, \`linked(borders,child,country,gt(area,1000))\`, \`linked(borders,child,gt(link.weight,3))\` by a value of the link, \`gt(count_linked(borders,child),2)\`, \`referred()\`, \`referred(article.cover,eq(state,new))\` for what anything leads to; and of two parameters ${FIELD_OPERATORS.map((each) => `\`${each}\``).join(', ')}, such as \`gt_field(departure,arrival)\`, and \`near(latitude,longitude,41.9,12.5,50)\`, within so many kilometres of a point; \`similar(name,"Jon Smith",0.4)\` finds texts that are like another one, from 0 to 1 (0.3 if left out). Of linked units, \`gt(link.weight,3)\` tests the link that leads to them.`,
    { type: 'string', minLength: 1, maxLength: LIMITS.filterBytes },
  ),
  search: queryParameterOf(
    'search',
    'Words that the texts of a unit have, such as `big cat -dog` or `"big cat" or lion`, in all searchable parameters.',
    { type: 'string', pattern: '\\S', maxLength: LIMITS.searchBytes },
  ),
  include: queryParameterOf(
    'include',
    `The parameters to answer, and dotted paths over references; others are left out. \`*\` is all parameters. Under a name of their own, numbers of related units (\`comments:count_related(comment.article)\`), sums (\`total:sum_related(line.order,mul(quantity,price))\`, null without units) and some of these units (\`latest:related(comment.article,eq(state,new),order=-inserted_at,limit=${LIMITS.relatedDefault})\`). \`can()\` answers what you may do with each unit: \`{update, delete, link, functions, transitions}\`. \`url\` of files, such as \`cover.url\`, is an address of the content that needs no header and ends. With a search, \`snippet(text)\` answers \`snippet_text\`: the part of a text with the words, marked by \`<mark>\`, and everything else escaped for HTML.`,
    INCLUDED,
    {
      style: 'form',
      explode: false,
    },
  ),
  exclude: queryParameterOf('exclude', 'The parameters to leave out. Not with `include`.', PATHS, {
    style: 'form',
    explode: false,
  }),
  nest: queryParameterOf(
    'nest',
    'Answers included paths as objects inside one another, `{"author": {"id": …, "name": …}}`, not under flat keys such as `author.name`.',
    { type: 'boolean', default: false },
  ),
  count: queryParameterOf('count', 'Whether to count all that match.', {
    type: 'string',
    enum: ['exact', 'none', 'estimated'],
    default: 'exact',
  }),
  cursor: queryParameterOf(
    'cursor',
    'Empty for the first page, then the `next` of the page before. Not with `offset`.',
    {
      type: 'string',
    },
  ),
  load_links: queryParameterOf(
    'load_links',
    'Answers the linked units along, or with `count` their numbers by link type.',
    {
      anyOf: [{ type: 'boolean' }, { type: 'string', const: 'count' }],
      default: false,
    },
  ),
  depth: queryParameterOf('depth', 'How many steps further linked units may be.', {
    type: 'integer',
    minimum: 0,
    maximum: LIMITS.walkDepth,
    default: 0,
  }),
  path_depth: queryParameterOf('depth', 'The most units between the start and the target.', {
    type: 'integer',
    minimum: 0,
    maximum: LIMITS.walkDepth,
    default: LIMITS.walkDepth,
  }),
  path_direction: queryParameterOf('direction', 'Whether the links lead to children or to parents.', {
    type: 'string',
    enum: ['child', 'parent'],
    default: 'child',
  }),
  to_kind: queryParameterOf(
    'to_kind',
    'The kind of the unit to which the path leads.',
    { type: 'string', minLength: 1 },
    { required: true },
  ),
  to_id: queryParameterOf(
    'to_id',
    'The id of the unit to which the path leads.',
    { type: 'string', minLength: 1 },
    { required: true },
  ),
  loaded_link_ids: queryParameterOf(
    'link_id',
    'With `load_links`: the link types to follow; all where it is left out.',
    LISTED_IDS,
    { style: 'form', explode: false },
  ),
  loaded_kind_ids: queryParameterOf(
    'kind_id',
    'With `load_links`: the kinds of the linked units; all where it is left out.',
    LISTED_IDS,
    { style: 'form', explode: false },
  ),
  loaded_direction: queryParameterOf(
    'direction',
    'With `load_links`: parents alone or children alone; both where it is left out.',
    { type: 'string', enum: ['parent', 'child'] },
  ),
  include_linked: queryParameterOf(
    'include_linked',
    'With `load_links=true`: the parameters to answer of linked units, and dotted paths over references; all parameters where it is left out.',
    PATHS,
    { style: 'form', explode: false },
  ),
  link_ids: queryParameterOf('link_id', 'The link types to follow; all where it is left out.', LISTED_IDS, {
    style: 'form',
    explode: false,
  }),
  kind_ids: queryParameterOf('kind_id', 'The kinds whose units are answered; all where it is left out.', LISTED_IDS, {
    style: 'form',
    explode: false,
  }),
  function_kind_ids: queryParameterOf(
    'kind_id',
    'The kinds whose functions are listed; all where it is left out.',
    LISTED_IDS,
    { style: 'form', explode: false },
  ),
  kinds: queryParameterOf(
    'kinds',
    'The kinds whose operations are described, where the document of all would be too large; none where it is empty.',
    { type: 'array', items: LISTED_ID },
    { style: 'form', explode: false },
  ),
  recorded_kinds: queryParameterOf(
    'kinds',
    'The kinds whose changes are read, or `*` for all that are recorded and that you may read.',
    { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1 },
    { style: 'form', explode: false, required: true },
  ),
  recorded_limit: queryParameterOf('limit', 'How many changes at most.', {
    type: 'integer',
    minimum: 1,
    maximum: LIMITS.pageMax,
    default: LIMITS.pageDefault,
  }),
  operations: queryParameterOf(
    'operations',
    'What is answered. `enter` and `leave`: a change lets a unit come into sight or filter, or go out of it.',
    {
      type: 'array',
      items: { type: 'string', enum: [...FEED_OPERATIONS] },
      minItems: 1,
      default: [...FEED_OPERATIONS],
    },
    { style: 'form', explode: false },
  ),
  since: queryParameterOf(
    'since',
    'The `next` of an answer, or the `cursor` of a change. Empty for the oldest changes that are kept; left out for those from now on.',
    { type: 'string', maxLength: 200 },
  ),
  as_of: queryParameterOf(
    'as_of',
    'A time, or a version: the unit as it was after the last change at or before it. With `include` and `exclude` alone; it needs the right `history`.',
    { type: 'string', minLength: 1, maxLength: 40 },
  ),
  wait: queryParameterOf('wait', 'Seconds to wait for a change where there is none.', {
    type: 'integer',
    minimum: 0,
    maximum: LIMITS.waitSeconds,
    default: 0,
  }),
  explain: queryParameterOf('explain', 'For administrators: answers what is slow, and which indexes are missing.', {
    type: 'boolean',
    default: false,
  }),
  select: queryParameterOf(
    'select',
    `Functions over the units of a group: ${AGGREGATE_FUNCTIONS.map((each) => `\`${each}\``).join(', ')}, such as \`count()\` or \`paid:sum(total,eq(state,paid))\`, with a name before a colon and a filter as last argument where wanted. In \`sum\`, \`avg\`, \`min\` and \`max\` an expression of ${EXPRESSION_FUNCTIONS.map((each) => `\`${each}\``).join(', ')} may stand for a parameter: \`sum(mul(quantity,price))\`; \`days(a,b)\` is from the first to the second. Outside, it is of fields of the answer that stand before it: \`mean:div(total,count)\`. Whole numbers and decimals are exact; null with null and by zero.`,
    { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1, maxItems: LIMITS.aggregateFields },
    { style: 'form', explode: true },
  ),
  group: queryParameterOf(
    'group',
    `What units are grouped by: parameters, dotted paths, ${GROUP_FUNCTIONS.map((each) => `\`${each}\``).join(', ')}, such as \`year(inserted_at)\`, \`lower(email)\`, \`each(tags)\` or \`bucket(population,1000)\`. Null is a group, of units without a value or without a unit behind a reference. It comes last, or first in descending order, as do groups whose sum is null; \`having=isnull(name,false)\` leaves them out. Without \`group\` all units are one group.`,
    { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1, maxItems: LIMITS.aggregateFields },
    { style: 'form', explode: true },
  ),
  having: queryParameterOf('having', 'A filter of the groups, over the names in the answer.', {
    type: 'string',
    minLength: 1,
    maxLength: LIMITS.filterBytes,
  }),
  timezone: queryParameterOf('timezone', 'The time zone of periods of datetimes, such as `Europe/Rome`.', {
    type: 'string',
    minLength: 1,
    default: 'UTC',
  }),
  cascade: queryParameterOf('cascade', 'Does it although something is lost by it.', {
    type: 'boolean',
    default: false,
  }),
  dry_run: queryParameterOf(
    'dry_run',
    'Does everything, answers it and undoes it; the answer has `kind-dry-run: true`. `changes`, of definitions and deletions only, answers what is changed and lost by it.',
    {
      type: 'string',
      enum: ['true', 'false', 'changes'],
      default: 'false',
    },
  ),
  member: queryParameterOf(
    'member',
    'The id of the member to tell about; a request without a token where it is left out.',
    {
      type: 'string',
    },
  ),
  as: queryParameterOf(
    'as',
    'Whose client it is: a member kind, `anyone`, or `administrator`. Only who may know the whole project can ask for others than `anyone`; your own where it is left out.',
    { type: 'string', minLength: 1 },
  ),
  child_kind: queryParameterOf('child_kind', 'With `child_id`: tells about links with this unit as the child too.', {
    type: 'string',
    minLength: 1,
  }),
  child_id: queryParameterOf('child_id', 'The id of the child.', { type: 'string', minLength: 1 }),
};
