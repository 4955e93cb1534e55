/** The schema of one value: what a parameter's definition says, as JSON Schema. Pure. */
import type { Field } from '../../model/model.js';
import type { ParameterDef, ParameterTypeId } from '../../model/parameter-def.js';
import { list, plural } from '../../model/parameter-type/text-rules.js';
import { LIMITS } from '../../shared/limits.js';
import { bareName } from './names.js';
import { plain, type Schema } from './openapi.js';

const TIMESTAMP = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{6}Z$';

/** How a value of each type stands in an answer, before the rules of its definition. */
const ANSWERED: Readonly<Record<ParameterTypeId, Schema>> = {
  string: { type: 'string' },
  text: { type: 'string' },
  integer: { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
  float: { type: 'number', format: 'double' },
  decimal: { type: 'string', pattern: '^-?\\d+(\\.\\d+)?$' },
  boolean: { type: 'boolean' },
  date: { type: 'string', format: 'date' },
  time: { type: 'string', pattern: '^\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,6})?$' },
  datetime: { type: 'string', format: 'date-time', pattern: TIMESTAMP },
  binary: { type: 'string', contentEncoding: 'base64' },
  json: {},
  unit: { type: 'string' },
};

/** Where a body may say more than an answer does. */
const TAKEN: Partial<Readonly<Record<ParameterTypeId, Schema>>> = {
  decimal: { type: ['string', 'number'], pattern: '^-?\\d+(\\.\\d+)?$' },
  datetime: { type: 'string', format: 'date-time' },
};

/** The words that a reader needs beside the schema. */
const WORDS: Partial<Readonly<Record<ParameterTypeId, string>>> = {
  decimal: 'An exact number, as a string.',
  time: 'A time of day: `HH:MM:SS`, with up to six decimals.',
  datetime: 'ISO 8601 with an offset, with up to six decimals; answered in UTC.',
  binary: 'Bytes, in base64.',
  json: 'Any JSON value.',
};

export const TIMESTAMP_SCHEMA = ANSWERED.datetime;

/** The schema of an answered value that is not null. */
export function answeredValue(field: Field): Schema {
  return listed(field, { ...ANSWERED[field.def.type], ...identity(field), ...rulesOf(field.def) });
}

/** The schema of a value of a body that is not null. */
export function takenValue(field: Field): Schema {
  const { def } = field;
  const base = TAKEN[def.type] ?? ANSWERED[def.type];
  const rules = { ...rulesOf(def), ...patternOf(def) };
  const value = listed(field, {
    ...base,
    ...identity(field),
    ...(def.strip ? shortest(rules) : rules),
    ...encodedLength(def),
  });
  return def.multiple ? { ...value, maxItems: LIMITS.jsonValues } : value;
}

/** What holds for a text with white space around it too: the other rules are for what is left of it, and told in words. */
function shortest({ minLength }: Schema): Schema {
  return minLength === undefined ? {} : { minLength };
}

/** A reference, and the id, are UUIDs where they are generated. */
function identity({ type, reference }: Field): Schema {
  return type.id === 'uuid' || reference?.key.id === 'uuid' ? { format: 'uuid' } : {};
}

function listed({ def }: Field, items: Schema): Schema {
  return def.multiple ? { type: 'array', items, ...(def.unique && { uniqueItems: true }) } : items;
}

function rulesOf(def: ParameterDef): Schema {
  const { minLength, maxLength, minValue, maxValue, values } = def;
  const text = def.type === 'string' || def.type === 'text';
  return {
    ...(text && minLength !== undefined && { minLength }),
    ...(text && maxLength !== undefined && { maxLength }),
    ...(typeof minValue === 'number' && { minimum: minValue }),
    ...(typeof maxValue === 'number' && { maximum: maxValue }),
    ...(values && { enum: values }),
  };
}

/** A pattern where JSON Schema's dialect has it with the same meaning; else it is told in words. */
function patternOf({ pattern }: ParameterDef): Schema {
  return pattern !== undefined && isPortable(pattern) ? { pattern } : {};
}

/** RE2 and ECMA-262 agree on most patterns, but for rare white space in `\s` and `.`; those of another meaning are left out. */
export function isPortable(pattern: string): boolean {
  if (/\[\[?:|\(\?[^:]|\\[ABCQEzapP]|[*+?}]\+/.test(pattern)) return false;
  try {
    return new RegExp(pattern, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

function encodedLength({ type, maxLength }: ParameterDef): Schema {
  return type === 'binary' ? { maxLength: Math.ceil((maxLength ?? LIMITS.binaryBytes) / 3) * 4 } : {};
}

/**
 * What a person should know of a value: its label, the owner's helper text, and the rules that no keyword tells. A label
 * is no `title`: some generators take that for a name, which has to be like no other.
 */
export function describeValue({ def, reference }: Field, mayRead: (kindId: string) => boolean): string | undefined {
  const { type, maxLength, minValue, maxValue, values, pattern, strip = false } = def;
  const said = [
    bareName(def.label) === bareName(def.id) ? undefined : sentence(plain(def.label)),
    def.helperText === null ? undefined : plain(def.helperText),
    reference && `The id of a unit of ${mayRead(reference.kind) ? `\`${reference.kind}\`` : 'another kind'}.`,
    WORDS[type],
    def.scale !== undefined && `At most ${def.scale} decimals.`,
    typeof minValue === 'string' && `At least ${minValue}.`,
    typeof maxValue === 'string' && `At most ${maxValue}.`,
    type === 'binary' && `At most ${def.maxLength ?? LIMITS.binaryBytes} bytes.`,
    strip && 'White space at both ends is removed.',
    strip && maxLength !== undefined && `At most ${plural(maxLength, 'character')}.`,
    strip && values && plain(`One of ${list(values)}.`),
    pattern !== undefined &&
      (strip || !isPortable(pattern)) &&
      `Matches the RE2 pattern \`${pattern.replaceAll('`', "'")}\`.`,
    def.unique && !def.multiple && 'Unique.',
    def.runTime && 'Handed to functions and hooks, and not stored.',
  ].filter((text): text is string => typeof text === 'string');
  return said.length > 0 ? said.join(' ') : undefined;
}

function sentence(text: string): string {
  return /[.:!?…]\s*$/.test(text) ? text : `${text}.`;
}

/** Whether a body must give the value. */
export function isNeeded({ def }: Field): boolean {
  return def.default === null && (def.required || !def.nullable);
}

/** What holds where nothing is given; left out where it has a `$ref`, which every reader of a document takes for a reference. */
export function defaultOf({ default: value }: ParameterDef): Schema {
  return value === null || JSON.stringify(value).includes('"$ref":') ? {} : { default: value };
}

/** The same schema, or null. */
export function orNull(schema: Schema): Schema {
  const { type, enum: values } = schema;
  if (Object.keys(schema).length === 0) return schema;
  if (typeof type !== 'string' && !Array.isArray(type)) return { anyOf: [schema, { type: 'null' }] };
  return {
    ...schema,
    type: [type, 'null'].flat(),
    ...(Array.isArray(values) && { enum: [...(values as unknown[]), null] }),
  };
}
