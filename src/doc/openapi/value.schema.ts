/** The schema of one value: what a parameter's definition says, as JSON Schema. Pure. */
import type { Field } from '../../model/model.js';
import type { ParameterDef } from '../../model/parameter-type/parameter-def.js';
import { jsonType } from '../../model/parameter-type/json.type.js';
import { parameterType } from '../../model/parameter-type/registry.js';
import { datetimeType } from '../../model/parameter-type/temporal.type.js';
import { list, plural } from '../../model/parameter-type/text-rules.js';
import { LIMITS } from '../../shared/limits.js';
import { bareName } from './names.js';
import { escapeMarkdown, type Schema } from './openapi.js';

export const TIMESTAMP_SCHEMA: Schema = datetimeType.schema;

/** The schema of an answered value that is not null. */
export function outputValue(field: Field): Schema {
  const type = parameterType(field.def.type);
  return orArray(field, { ...type.schema, ...idFormat(field), ...type.ruleSchema?.(field.def) });
}

/** The schema of a value of a body that is not null. */
export function inputValue(field: Field): Schema {
  const value = orArray(field, inputItem(field));
  return field.def.multiple ? { ...value, maxItems: LIMITS.jsonValues } : value;
}

function inputItem(field: Field): Schema {
  const { def } = field;
  const type = parameterType(def.type);
  const rules = { ...type.ruleSchema?.(def), ...patternOf(def) };
  return {
    ...(type.bodySchema ?? type.schema),
    ...idFormat(field),
    ...(def.strip ? minLengthOnly(rules) : rules),
    ...type.bodyRuleSchema?.(def),
  };
}

/** What holds for a text with white space around it too: the other rules are for what is left of it, and told in words. */
function minLengthOnly({ minLength }: Schema): Schema {
  return minLength === undefined ? {} : { minLength };
}

/** References and ids have the format of the key that they refer to, or are. */
function idFormat({ type, reference }: Field): Schema {
  const { idFormat: format } = reference?.key ?? type;
  return format === undefined ? {} : { format };
}

function orArray({ def }: Field, items: Schema): Schema {
  return def.multiple ? { type: 'array', items, ...(def.unique && { uniqueItems: true }) } : items;
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

/**
 * What a person should know of a value: its label, the owner's helper text, and the rules that no keyword tells. A label
 * is no `title`: some generators take that for a name, which has to be like no other. `hasForm`: a schema tells more than the type.
 */
export function describeValue(
  { def, reference }: Field,
  mayRead: (kindId: string) => boolean,
  hasForm = false,
): string | undefined {
  const type = parameterType(def.type);
  const { minLength, maxLength, minValue, maxValue, values, pattern, strip = false } = def;
  const said = [
    bareName(def.label) === bareName(def.id) ? undefined : sentence(escapeMarkdown(def.label)),
    def.helperText === null ? undefined : escapeMarkdown(def.helperText),
    reference && `The id of a unit of ${mayRead(reference.kind) ? `\`${reference.kind}\`` : 'another kind'}.`,
    !hasForm && type.note,
    def.scale !== undefined && `At most ${def.scale} decimals.`,
    typeof minValue === 'string' && `At least ${minValue}.`,
    typeof maxValue === 'string' && `At most ${maxValue}.`,
    ...(type.ruleNotes?.(def) ?? []),
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
  if (isAnyValue(schema) || Object.keys(schema).length === 0) return {};
  if (typeof type !== 'string' && !Array.isArray(type)) return { anyOf: [schema, { type: 'null' }] };
  return {
    ...schema,
    type: [type, 'null'].flat(),
    ...(Array.isArray(values) && { enum: [...(values as unknown[]), null] }),
  };
}

/** Whether a schema is that of every JSON value but null. */
export function isAnyValue(schema: Schema): boolean {
  const { type, ...others } = schema;
  return Array.isArray(type) && type.length === ANY_TYPES.length && Object.keys(others).length === 0;
}

const ANY_TYPES = jsonType.schema['type'] as readonly string[];
