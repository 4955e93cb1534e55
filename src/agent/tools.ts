/**
 * The tools of agents. Each says which request of the service it is, and has no rights, and no statement, of its own. Their
 * order never changes, so that clients keep the list.
 */
import type { Operation } from '../model/built-in-traits.js';
import { quote } from '../filter/filter.printer.js';
import { FILE_KIND } from '../model/built-in-traits.js';
import { refusal } from '../shared/errors.js';
import { type Arguments, MOST_WRITTEN, offsetOf, PAGE, type TakenArguments } from './tool-arguments.js';
import type { AgentFunction } from './agent-functions.js';
import type { ToolRequest } from './tool-requests.js';

type Given = Arguments & { readonly kind: string };

export interface Tool extends TakenArguments {
  readonly name: string;
  readonly description: string;
  /** Of which the key needs one, for some kind. */
  readonly rights: readonly Operation[];
  /** It is for the model of the project, and not for units. */
  readonly ofModel?: true;
  /** The only kind that it is for. */
  readonly kind?: string;
  /** A right call, which refusals show. */
  readonly example: Readonly<Record<string, unknown>>;
  /** Left out: it reads. */
  readonly writes?: 'adds' | 'changes';
  /** The requests, each of which answers a part. */
  readonly requests: (given: Given) => readonly ToolRequest[];
}

export const DESCRIBE = 'describe';
/** Answers many requests as one list, and may answer one text by pages. */
export const GET_UNITS = 'get_units';
/** Answers a stream. */
export const READ_FILE = 'read_file';
export const CALL_FUNCTION = 'call_function';

const MODEL_EXAMPLE = {
  model: { kinds: { article: { label: 'Article', parameters: { title: { type: 'string', own: true } } } } },
};

export const TOOLS: readonly Tool[] = [
  {
    name: DESCRIBE,
    description:
      'Names the kinds you may use, with your rights; with kind, its fields and functions. Filters: and(), or(), not(), eq(field,value), ne, gt, gte, lt, lte, in(field,a,b), icontains(field,text), isnull(field).',
    takes: ['kind', 'search', 'limit', 'cursor'],
    needs: [],
    rights: ['read', 'create', 'update', 'delete'],
    example: { kind: 'article' },
    requests: ({ kind, limit = PAGE.default, cursor }) => [
      get(`/${segment(kind)}/struct?${query({ limit, offset: offsetOf(cursor) })}`),
    ],
  },
  {
    name: 'list_units',
    description: 'Lists the units of a kind.',
    takes: ['kind', 'filter', 'include', 'order', 'search', 'limit', 'cursor'],
    needs: ['kind'],
    rights: ['read'],
    example: { kind: 'article', filter: 'eq(status,"open")', order: '-views', limit: 10 },
    requests: (given) => [get(`/${segment(given.kind)}/unit?${query(listed(given))}`)],
  },
  {
    name: GET_UNITS,
    description: 'Gets units by id. One id with one name in include: a long text by pages, from a character.',
    takes: ['kind', 'ids', 'include', 'from'],
    needs: ['kind', 'ids'],
    rights: ['read'],
    example: { kind: 'article', ids: ['5d0c4d2e-6b0f-4c55-9a43-0f1f0c3b7a11'] },
    requests: ({ kind, ids = [], include }) =>
      ids.map((id) => get(`/${segment(kind)}/unit/${segment(id)}?${query({ include: list(include) })}`)),
  },
  {
    name: 'aggregate_units',
    description: 'Counts, adds up and groups units. select: count(), n:sum(price), avg(), min(), max(); group: fields.',
    takes: ['kind', 'select', 'group', 'filter', 'having', 'order', 'search', 'limit'],
    needs: ['kind'],
    rights: ['read'],
    example: { kind: 'article', select: ['count()'], group: ['status'] },
    requests: (given) => {
      const { kind, select, group, having, filter, order, search } = given;
      const asked = { select: list(select), group: list(group), filter, having, order, search };
      return [get(`/${segment(kind)}/aggregate?${query({ ...asked, limit: given.limit ?? PAGE.default })}`)];
    },
  },
  {
    name: 'walk_links',
    description: 'Lists the units that a unit is linked with, the nearest first; depth: further steps.',
    takes: ['kind', 'id', 'direction', 'link', 'depth', 'filter', 'include', 'order', 'limit', 'cursor'],
    needs: ['kind', 'id', 'direction'],
    rights: ['read'],
    example: { kind: 'article', id: '5d0c4d2e-6b0f-4c55-9a43-0f1f0c3b7a11', direction: 'child' },
    requests: (given) => {
      const { kind, id = '', direction = '', link, depth } = given;
      const path = `/${segment(kind)}/unit/${segment(id)}/link/${segment(direction)}`;
      return [get(`${path}?${query({ ...listed(given), link_id: link, depth })}`)];
    },
  },
  {
    name: READ_FILE,
    description: 'Reads a text file by pages, or a picture: its size in select.',
    takes: ['id', 'select', 'from'],
    needs: ['id'],
    rights: ['read'],
    kind: FILE_KIND,
    example: { id: '5d0c4d2e-6b0f-4c55-9a43-0f1f0c3b7a11', select: ['small'] },
    requests: ({ id = '', select }) => [
      get(`/${FILE_KIND}/unit/${segment(id)}/content?${query({ size: select?.join(), format: select && 'jpeg' })}`),
    ],
  },
  {
    name: 'create_units',
    description: 'Creates up to 100 units of a kind, all or none.',
    takes: ['kind', 'units', 'dry_run'],
    needs: ['kind', 'units'],
    rights: ['create'],
    writes: 'adds',
    example: { kind: 'article', units: [{ title: 'First' }], dry_run: true },
    requests: ({ kind, units = [] }) => [
      { method: 'POST', path: `/${segment(kind)}/unit`, body: units.length === 1 ? units[0] : units },
    ],
  },
  {
    name: 'update_units',
    description: 'Gives units, by ids or a filter (up to 100), the same values.',
    takes: ['kind', 'ids', 'filter', 'values', 'dry_run'],
    needs: ['kind', 'values'],
    rights: ['update'],
    writes: 'changes',
    example: { kind: 'article', filter: 'eq(status,"open")', values: { status: 'done' }, dry_run: true },
    requests: (given) => [{ method: 'PUT', path: matched(given), body: given.values }],
  },
  {
    name: 'delete_units',
    description: 'Deletes units by ids or a filter (up to 100).',
    takes: ['kind', 'ids', 'filter', 'dry_run'],
    needs: ['kind'],
    rights: ['delete'],
    writes: 'changes',
    example: { kind: 'article', ids: ['5d0c4d2e-6b0f-4c55-9a43-0f1f0c3b7a11'], dry_run: true },
    requests: (given) => [{ method: 'DELETE', path: matched(given) }],
  },
  {
    name: CALL_FUNCTION,
    description: 'Calls a function of a kind, or with id of a unit; describe with kind names them.',
    takes: ['kind', 'id', 'function', 'parameters', 'dry_run'],
    needs: ['kind', 'function'],
    rights: ['function'],
    example: { kind: 'article', function: 'publish', parameters: { at: 'noon' } },
    requests: ({ kind, id, function: name = '', parameters = {} }) => {
      const of = id === undefined ? '' : `/unit/${segment(id)}`;
      return [{ method: 'POST', path: `/${segment(kind)}${of}/function/${segment(name)}`, body: parameters }];
    },
  },
  {
    name: 'plan_model',
    description: 'Says what a part of the model would change, lose and open. What it does not name stays.',
    takes: ['model'],
    needs: ['model'],
    rights: ['read'],
    ofModel: true,
    example: MODEL_EXAMPLE,
    requests: ({ model }) => [modelRequest('plan', model)],
  },
  {
    name: 'apply_model',
    description: 'Changes the model so, all or nothing. What would lose or open something is refused.',
    takes: ['model', 'dry_run'],
    needs: ['model'],
    rights: ['update'],
    ofModel: true,
    writes: 'changes',
    example: MODEL_EXAMPLE,
    requests: ({ model, dry_run: dry }) => [modelRequest(dry ? 'plan' : 'apply', model)],
  },
];

/** A partial file, in the bytes that a file is read from. */
function modelRequest(step: 'plan' | 'apply', model: Arguments['model']): ToolRequest {
  const file = { format: 'kind-model', version: 1, partial: true, ...model };
  return { method: 'POST', path: `/model/${step}`, body: Buffer.from(JSON.stringify(file)) };
}

/** The same call of a function that takes GET alone, in whose query null is left out. */
export function functionRead(
  { path, body }: ToolRequest,
  { parameters }: Pick<AgentFunction, 'parameters'>,
): ToolRequest {
  const given = Object.entries((body ?? {}) as Readonly<Record<string, unknown>>).filter(([, value]) => value !== null);
  const pairs = given.flatMap(([name, value]) => {
    const { type, multiple } = parameters.find(({ id }) => id === name) ?? {};
    const isJson = type === 'json';
    const values: readonly unknown[] = Array.isArray(value) && (multiple || !isJson) ? value : [value];
    return values.map((each) => query({ [name]: typeof each === 'string' && !isJson ? each : JSON.stringify(each) }));
  });
  return get(`${path}?${pairs.join('&')}`);
}

/** Units by id, or by a filter. @throws KindError 400 for neither, or both */
function matched({ kind, ids, filter }: Given): string {
  if ((ids === undefined) === (filter === undefined)) {
    throw refusal('query.conflict', 'ids or filter: one of them must be given', { parameter: 'ids' });
  }
  const [id, ...others] = ids ?? [];
  if (id !== undefined && others.length === 0) return `/${segment(kind)}/unit/${segment(id)}`;
  const quoted = ids?.map((each) => quote(each)).join(',');
  const asked = { filter: filter ?? `in(id,${quoted ?? ''})`, max_affected: MOST_WRITTEN };
  return `/${segment(kind)}/unit?${query(asked)}`;
}

function get(path: string): ToolRequest {
  return { method: 'GET', path };
}

function listed({ filter, include, order, search, limit = PAGE.default, cursor }: Arguments) {
  return { filter, include: list(include), order, search, limit, cursor };
}

/** A part of a path that is not a step of it. */
function segment(text: string): string {
  return text === '.' || text === '..' ? '%00' : encodeURIComponent(text);
}

function list(names: readonly string[] | undefined): string | undefined {
  return names && `[${names.join(',')}]`;
}

function query(given: Readonly<Record<string, string | number | undefined>>): string {
  return Object.entries(given)
    .flatMap(([name, value]) => {
      return value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`];
    })
    .join('&');
}
