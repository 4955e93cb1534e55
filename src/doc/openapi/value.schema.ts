/** The schema of one value: what a parameter's definition says, as JSON Schema. Pure. */
import type { Field } from '../../model/model.js';
import type { ParameterDef, ParameterTypeId } from '../../model/parameter-type/parameter-def.js';
import { list, plural } from '../../model/parameter-type/text-rules.js';
import { LIMITS } from '../../shared/limits.js';
import { bareName } from './names.js';
import { escapeMarkdown, type Schema } from './openapi.js';

const TIMESTAMP = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{6}Z$';

const YEAR = '(?:000[1-9]|00[1-9]\\d|0[1-9]\\d\\d|[1-9]\\d{3})';
const DAY = `${YEAR}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])`;
const CLOCK = '(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,6})?';
const OFFSET = '(?:[Zz]|[+-](?:0\\d|1[0-5])(?::?[0-5]\\d)?)';
const BASE64 = '(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?';

/** Any JSON value but null. */
const NON_NULL_JSON: Schema = { type: ['object', 'array', 'string', 'number', 'boolean'] };

/** How a value of each type stands in an answer, before the rules of its definition. */
const OUTPUT_SCHEMAS: Readonly<Record<ParameterTypeId, Schema>> = {
  string: { type: 'string' },
  text: { type: 'string' },
  integer: { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
  float: { type: 'number', format: 'double' },
  decimal: { type: 'string', pattern: '^-?\\d+(\\.\\d+)?$' },
  boolean: { type: 'boolean' },
  date: { type: 'string', format: 'date' },
  time: { type: 'string', pattern: `^${CLOCK}$` },
  datetime: { type: 'string', format: 'date-time', pattern: TIMESTAMP },
  binary: { type: 'string', contentEncoding: 'base64' },
  json: NON_NULL_JSON,
  unit: { type: 'string' },
};

/** Where a body may say more than an answer does, or has to be told more of. */
const INPUT_SCHEMAS: Partial<Readonly<Record<ParameterTypeId, Schema>>> = {
  decimal: { type: ['string', 'number'], maxLength: 1000 },
  date: { type: 'string', format: 'date', pattern: `^${DAY}$` },
  datetime: { type: 'string', format: 'date-time', pattern: `^${DAY}[Tt]${CLOCK}${OFFSET}$` },
  binary: { type: 'string', contentEncoding: 'base64', pattern: `^${BASE64}$` },
};

/** The words that a reader needs beside the schema. */
const FORMAT_TEXTS: Partial<Readonly<Record<ParameterTypeId, string>>> = {
  decimal: 'An exact number, as a string.',
  time: 'A time of day: `HH:MM:SS`, with up to six decimals.',
  datetime: 'ISO 8601 with an offset, with up to six decimals; answered in UTC.',
  binary: 'Bytes, in base64.',
  json: 'Any JSON value.',
};

export const TIMESTAMP_SCHEMA = OUTPUT_SCHEMAS.datetime;

/** The schema of an answered value that is not null. */
export function outputValue(field: Field): Schema {
  if (field.def.type === 'json') return orArray(field, NON_NULL_JSON);
  return orArray(field, { ...OUTPUT_SCHEMAS[field.def.type], ...uuidFormat(field), ...constraintsOf(field.def) });
}

/** The schema of a value of a body that is not null. */
export function inputValue(field: Field): Schema {
  const value = orArray(field, field.def.type === 'json' ? NON_NULL_JSON : inputItem(field));
  return field.def.multiple ? { ...value, maxItems: LIMITS.jsonValues } : value;
}

function inputItem(field: Field): Schema {
  const { def } = field;
  const rules = { ...constraintsOf(def), ...patternOf(def) };
  return {
    ...(INPUT_SCHEMAS[def.type] ?? OUTPUT_SCHEMAS[def.type]),
    ...uuidFormat(field),
    ...(def.strip ? minLengthOnly(rules) : rules),
    ...decimalRules(def),
    ...encodedLength(def),
    ...keyRules(def),
  };
}

/** Superfluous zeros are taken. Bounds are told in words too: no keyword compares texts as numbers. */
function decimalRules({ type, scale, minValue, maxValue }: ParameterDef): Schema {
  if (type !== 'decimal') return {};
  const decimals = scale === undefined ? '\\d+' : scale === 0 ? '0+' : `\\d{1,${scale}}0*`;
  const bound = (keyword: string, value: number | string | undefined): Schema =>
    value !== undefined && String(Number(value)) === String(value) ? { [keyword]: Number(value) } : {};
  return { pattern: `^-?\\d+(?:\\.${decimals})?$`, ...bound('minimum', minValue), ...bound('maximum', maxValue) };
}

/** What can not be in a path is no key. */
function keyRules({ primary, type, minLength = 0, values }: ParameterDef): Schema {
  if (!primary || (type !== 'string' && type !== 'text')) return {};
  return { minLength: Math.max(1, minLength), ...(!values && { not: { enum: ['.', '..'] } }) };
}

/** What holds for a text with white space around it too: the other rules are for what is left of it, and told in words. */
function minLengthOnly({ minLength }: Schema): Schema {
  return minLength === undefined ? {} : { minLength };
}

/** A reference, and the id, are UUIDs where they are generated. */
function uuidFormat({ type, reference }: Field): Schema {
  return type.id === 'uuid' || reference?.key.id === 'uuid' ? { format: 'uuid' } : {};
}

function orArray({ def }: Field, items: Schema): Schema {
  return def.multiple ? { type: 'array', items, ...(def.unique && { uniqueItems: true }) } : items;
}

function constraintsOf(def: ParameterDef): Schema {
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
 * is no `title`: some generators take that for a name, which has to be like no other. `hasForm`: a schema tells more than the type.
 */
export function describeValue(
  { def, reference }: Field,
  mayRead: (kindId: string) => boolean,
  hasForm = false,
): string | undefined {
  const { type, minLength, maxLength, minValue, maxValue, values, pattern, strip = false } = def;
  const said = [
    bareName(def.label) === bareName(def.id) ? undefined : sentence(escapeMarkdown(def.label)),
    def.helperText === null ? undefined : escapeMarkdown(def.helperText),
    reference && `The id of a unit of ${mayRead(reference.kind) ? `\`${reference.kind}\`` : 'another kind'}.`,
    !hasForm && FORMAT_TEXTS[type],
    def.scale !== undefined && `At most ${def.scale} decimals.`,
    typeof minValue === 'string' && `At least ${minValue}.`,
    typeof maxValue === 'string' && `At most ${maxValue}.`,
    type === 'binary' && `At most ${def.maxLength ?? LIMITS.binaryBytes} bytes.`,
    strip && 'White space at both ends is removed.',
    strip && minLength !== undefined && `At least ${plural(minLength, 'character')}.`,
    strip && maxLength !== undefined && `At most ${plural(maxLength, 'character')}.`,
    strip && values && escapeMarkdown(`One of ${list(values)}.`),
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
export function isRequired({ def }: Field): boolean {
  return def.default === null && (def.required || !def.nullable);
}

/** What holds where nothing is given; left out where it has a `$ref`, which every reader of a document takes for a reference. */
export function defaultOf({ default: value }: ParameterDef): Schema {
  return value === null || JSON.stringify(value).includes('"$ref":') ? {} : { default: value };
}

/** The same schema, or null. */
export function orNull(schema: Schema): Schema {
  const { type, enum: values } = schema;
  if (schema === NON_NULL_JSON || Object.keys(schema).length === 0) return {};
  if (typeof type !== 'string' && !Array.isArray(type)) return { anyOf: [schema, { type: 'null' }] };
  return {
    ...schema,
    type: [type, 'null'].flat(),
    ...(Array.isArray(values) && { enum: [...(values as unknown[]), null] }),
  };
}
