/** The arguments of tools: the same name means the same in all of them. Pure. */
import { Faults, refusal } from '../shared/errors.js';
import { isPlainObject, typeName } from '../shared/json.js';
import { LIMITS } from '../shared/limits.js';

/** Units of a page: as many as may be asked for, and without `limit`. */
export const PAGE = { most: 100, default: 20 } as const;
const MOST_IDS = 20;
/** Units of one write. */
export const MOST_WRITTEN = 100;

/** The schemas that arguments have. None may be empty: a text but `cursor`, a list. */
type Argument =
  | { readonly type: 'string'; readonly enum?: string[]; readonly description?: string }
  | { readonly type: 'boolean' | 'object'; readonly description?: string }
  | { readonly type: 'integer'; readonly minimum: number; readonly maximum?: number; readonly description?: string }
  | {
      readonly type: 'array';
      readonly items: { readonly type: 'string' | 'object' };
      readonly maxItems: number;
      readonly description?: string;
    };

const text = (description?: string): Argument => ({
  type: 'string',
  ...(description !== undefined && { description }),
});
const listOf = (type: 'string' | 'object', maxItems: number, description?: string): Argument => ({
  type: 'array',
  items: { type },
  maxItems,
  ...(description !== undefined && { description }),
});

const ARGUMENTS = {
  kind: text('its id'),
  id: text(),
  ids: listOf('string', MOST_IDS),
  units: listOf('object', MOST_WRITTEN, 'fields and values'),
  values: { type: 'object' as const },
  filter: text('and(eq(status,"open"),gt(views,3))'),
  include: listOf('string', 100, 'fields; of references author.name'),
  order: text('-views,title'),
  search: text('words'),
  limit: { type: 'integer' as const, minimum: 1, maximum: PAGE.most, description: `default ${PAGE.default}` },
  cursor: text('"" first, then next'),
  select: listOf('string', 100),
  group: listOf('string', 100),
  having: text(),
  direction: { type: 'string' as const, enum: ['parent', 'child'] },
  link: text('id of a link type'),
  depth: { type: 'integer' as const, minimum: 0, maximum: LIMITS.walkDepth },
  function: text(),
  parameters: { type: 'object' as const },
  model: { type: 'object' as const, description: 'maps by id: parameters, kinds, groups, links; drop: names' },
  dry_run: { type: 'boolean' as const, description: 'answers what it would do' },
  from: { type: 'integer' as const, minimum: 0 },
} satisfies Record<string, Argument>;

/** Which may be the empty text. */
const FIRST_PAGE = 'cursor';

type ArgumentName = keyof typeof ARGUMENTS;

export interface Arguments {
  readonly kind?: string;
  readonly id?: string;
  readonly ids?: readonly string[];
  readonly filter?: string;
  readonly include?: readonly string[];
  readonly order?: string;
  readonly search?: string;
  readonly limit?: number;
  readonly cursor?: string;
  readonly select?: readonly string[];
  readonly group?: readonly string[];
  readonly having?: string;
  readonly direction?: string;
  readonly link?: string;
  readonly depth?: number;
  readonly units?: readonly Readonly<Record<string, unknown>>[];
  readonly values?: Readonly<Record<string, unknown>>;
  readonly function?: string;
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly model?: Readonly<Record<string, unknown>>;
  readonly dry_run?: boolean;
  readonly from?: number;
}

/** What a tool takes. */
export interface TakenArguments {
  readonly takes: readonly ArgumentName[];
  readonly needs: readonly ArgumentName[];
}

/** The JSON schema of a tool's arguments. */
export function inputSchema({ takes, needs }: TakenArguments) {
  const properties = Object.fromEntries(takes.map((name): [string, Argument] => [name, ARGUMENTS[name]]));
  return { type: 'object' as const, properties, required: [...needs], additionalProperties: false };
}

/** @throws KindError 400 with all faults */
export function readArguments(given: Readonly<Record<string, unknown>>, { takes, needs }: TakenArguments): Arguments {
  const faults = new Faults();
  for (const name of Object.keys(given)) {
    if (takes.some((taken) => taken === name)) continue;
    const hint = faults.hint(name, takes);
    faults.add('query.unknown', `The tool has no argument '${name}'${hint}`, { parameter: name });
  }
  for (const name of needs) {
    if (given[name] === undefined) faults.add('parameter.required', `${name}: must be given`, { parameter: name });
  }
  for (const name of takes) {
    const wrong = given[name] === undefined ? undefined : faultOf(given[name], ARGUMENTS[name], name === FIRST_PAGE);
    if (wrong !== undefined) faults.add('query.bad_value', `${name}: ${wrong}`, { parameter: name });
  }
  faults.throwIfAny();
  return given;
}

function faultOf(value: unknown, argument: Argument, mayBeEmpty: boolean): string | undefined {
  switch (argument.type) {
    case 'string':
      return textFault(value, { mayBeEmpty, words: argument.enum });
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `must be true or false, got ${typeName(value)}`;
    case 'object':
      return isPlainObject(value) ? cutFault(value) : `must be an object, got ${typeName(value)}`;
    case 'integer': {
      const { minimum, maximum } = argument;
      const fits = Number.isSafeInteger(value) && Number(value) >= minimum && Number(value) <= (maximum ?? Infinity);
      return fits
        ? undefined
        : `must be a whole number from ${minimum}${maximum === undefined ? '' : ` to ${maximum}`}`;
    }
    case 'array': {
      if (!Array.isArray(value)) return `must be a list, got ${typeName(value)}`;
      const { maxItems, items } = argument;
      if (value.length === 0 || value.length > maxItems) return `must have 1 to ${maxItems} elements`;
      const faultOfItem = items.type === 'object' ? objectFault : (item: unknown) => textFault(item, {});
      return (value as unknown[]).map(faultOfItem).find((fault) => fault !== undefined);
    }
  }
}

function objectFault(value: unknown): string | undefined {
  return isPlainObject(value) ? cutFault(value) : `must be a list of objects, got ${typeName(value)}`;
}

/** A text that an answer has cut would be stored without its rest. */
function cutFault(values: object): string | undefined {
  const rest: (readonly [name: string, value: unknown])[] = Object.entries(values);
  for (let next = rest.pop(); next; next = rest.pop()) {
    const [name, value] = next;
    if (typeof value !== 'object' || value === null) continue;
    if ('cut' in value && 'length' in value) {
      return `${name} is a text that was cut; write the whole of it, or leave it out`;
    }
    rest.push(...Object.values(value).map((inner: unknown) => [name, inner] as const));
  }
  return undefined;
}

function textFault(
  value: unknown,
  { mayBeEmpty = false, words }: { readonly mayBeEmpty?: boolean; readonly words?: readonly string[] | undefined },
): string | undefined {
  if (typeof value !== 'string') return `must be a text, got ${isPlainObject(value) ? 'an object' : typeName(value)}`;
  if (value === '' && !mayBeEmpty) return 'must not be empty';
  return words === undefined || words.includes(value) ? undefined : `must be one of ${words.join(', ')}`;
}

/** The place in a list that is here whole. @throws KindError 400 for a cursor that `describe` gave nobody */
export function offsetOf(cursor = ''): number {
  if (/^\d{0,6}$/.test(cursor)) return Number(cursor);
  throw refusal('query.bad_value', 'cursor: not one that this list gave', { parameter: 'cursor' });
}
