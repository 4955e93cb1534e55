/** The JSON Schema of a parameter's values. Pure. */
import type { Field, KindDef } from '../../../model/model.js';
import type { ExpressionWord } from '../../../model/expression.js';
import { parameterDef, type ParameterDef } from '../../../model/parameter-type/parameter-def.js';
import { jsonType } from '../../../model/parameter-type/json.type.js';
import { parameterType } from '../../../model/parameter-type/type-by-id.js';
import { madeWords } from '../../../model/made-default.js';
import { datetimeType } from '../../../model/parameter-type/temporal.type.js';
import { allowedValuesText } from '../../../model/parameter-type/text-rules.js';
import { plural } from '../../../shared/texts.js';
import { LIMITS } from '../../../shared/limits.js';
import { bareName, BUILT_IN_PREFIX } from '../names.js';
import { escapeMarkdown, type Schema, schemaRef } from '../openapi.js';
import { EXTENDED_FIELDS } from '../../../model/built-in/built-in.js';
import { MEMBER_FIELDS } from '../../../model/built-in/member-fields.js';
import { RESERVED_PARAMETERS } from '../../../model/field.js';

export const TIMESTAMP_SCHEMA: Schema = datetimeType.schema;

/** The schema of a value in answers, without null. */
export function outputValue(field: Field): Schema {
  const type = parameterType(field.def.type);
  return orArray(field, { ...type.schema, ...idFormat(field), ...type.ruleSchema?.(field.def) });
}

/** The schema of a value in bodies, without null. */
export function inputValue(field: Field): Schema {
  const value = orArray(field, inputItem(field));
  return field.def.multiple ? { ...value, maxItems: LIMITS.jsonValues } : value;
}

/** The schema of an expression on a number or a list; undefined for others. Those of JSON are like other values of it. */
export function expressionSchema(field: Field, words: readonly ExpressionWord[]): Schema | undefined {
  const { def, type } = field;
  if (words.includes('$inc')) {
    const by = { ...(type.bodySchema ?? type.schema), ...type.bodyRuleSchema?.({ ...NO_RULES, scale: def.scale }) };
    return wordsSchema('A number to add to what is stored; null counts as 0.', { $inc: by });
  }
  if (!words.includes('$remove')) return undefined;
  const lists = {
    $remove: { type: 'array', items: type.bodySchema ?? type.schema, maxItems: LIMITS.jsonValues },
    $add: { type: 'array', items: inputItem(field), maxItems: LIMITS.jsonValues },
  };
  return wordsSchema('Elements to remove from the stored list, and elements to add at its end.', lists);
}

const NO_RULES = parameterDef({ id: '', type: 'decimal' });

function wordsSchema(description: string, properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', description, properties, minProperties: 1, additionalProperties: false };
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

/** The rules that hold before white space is removed; the others are given in the description. */
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

/** The pattern if ECMA-262 interprets it in the same way; otherwise it is given in the description. */
function patternOf({ pattern }: ParameterDef): Schema {
  return pattern !== undefined && isPortable(pattern) ? { pattern } : {};
}

/** Whether RE2 and ECMA-262 interpret a pattern in the same way, except for rare white space in `\s` and `.`. */
export function isPortable(pattern: string): boolean {
  if (/\[\[?:|\(\?[^:]|\\[ABCQEzapP]|[*+?}]\+/.test(pattern)) return false;
  try {
    return new RegExp(pattern, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

/**
 * The description of a value: its label, the helper text, and rules that the schema cannot express. The label is not a
 * `title`, because some generators use titles as names, which must be unique. `hasForm`: the schema describes more than
 * the type.
 */
export function valueDescription(
  { def, reference }: Field,
  mayRead: (kindId: string) => boolean,
  hasForm = false,
): string | undefined {
  const type = parameterType(def.type);
  const { minLength, maxLength, minValue, maxValue, values, pattern, strip = false } = def;
  const sentences = [
    bareName(def.label) === bareName(def.id) ? undefined : sentence(escapeMarkdown(def.label)),
    def.helperText === null ? undefined : escapeMarkdown(def.helperText),
    reference && `The id of a unit of ${mayRead(reference.kind) ? `\`${reference.kind}\`` : 'another kind'}.`,
    def.accept && `Takes files of ${def.accept.join(', ')}.`,
    def.maxBytes !== undefined && `Takes files of ${def.maxBytes} bytes at most.`,
    def.owned && 'The file goes with the unit.',
    !hasForm && type.note,
    def.scale !== undefined && `At most ${def.scale} decimals.`,
    typeof minValue === 'string' && `At least ${minValue}.`,
    typeof maxValue === 'string' && `At most ${maxValue}.`,
    ...(type.ruleNotes?.(def) ?? []),
    strip && 'White space at both ends is removed.',
    strip && minLength !== undefined && `At least ${plural(minLength, 'character')}.`,
    strip && maxLength !== undefined && `At most ${plural(maxLength, 'character')}.`,
    strip && values && escapeMarkdown(`One of ${allowedValuesText(values)}.`),
    pattern !== undefined &&
      (strip || !isPortable(pattern)) &&
      `Matches the RE2 pattern \`${pattern.replaceAll('`', "'")}\`.`,
    def.unique && !def.multiple && 'Unique.',
    madeWords(def),
    def.runTime && 'No part of the stored unit: functions and hooks get it.',
  ].filter((text): text is string => typeof text === 'string');
  // What is said last stays as it was written.
  const [last, ...before] = sentences.toReversed();
  return last === undefined ? undefined : [...before.toReversed().map(sentence), last].join(' ');
}

function sentence(text: string): string {
  return /[.:!?…]\s*$/.test(text) ? text : `${text}.`;
}

/**
 * The default; left out if it contains a `$ref`, which readers of the document would resolve. One that is made is null
 * here, if the value may be; the description tells it.
 */
export function defaultOf({ default: value, made, nullable }: ParameterDef): Schema {
  if (made) return nullable ? { default: null } : {};
  return value === null || JSON.stringify(value).includes('"$ref":') ? {} : { default: value };
}

/** The schema, with null allowed. */
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

/** The length in characters of JSON from which a schema is shared. */
const MIN_SHARED_LENGTH = 160;

/** Suffixes for schemas of values in answers, in bodies, and in bodies of edits where these differ. No schema of a kind, and no built-in one, ends so. */
type ValueForm = 'value' | 'input' | 'edit';

/**
 * Generators of clients call the value of `body` in `note.create` as they call the body of the operation `note.create`:
 * `NoteCreateBody`. So these have a name of their own.
 */
const OWN_NAMES: ReadonlySet<string> = new Set(['body', 'params', 'headers']);

export class SharedValues {
  readonly #known = new Map<string, { readonly name: string; readonly text: string; readonly schema: Schema }>();

  find(name: string): Schema | undefined {
    return this.#known.get(bareName(name))?.schema;
  }

  /**
   * Returns a reference to the schema if it is long, or needs a name of its own. A different schema with the same name is
   * not shared.
   */
  share(kind: KindDef, field: Field, form: ValueForm, schema: Schema): Schema {
    const text = JSON.stringify(schema);
    const isNamed = OWN_NAMES.has(bareName(field.id));
    if (!isNamed && text.length < MIN_SHARED_LENGTH) return schema;
    // Kinds may have own parameters of one id.
    const isOfKind = isNamed || field.def.ownKind !== undefined;
    const owner = isBuiltIn(kind, field) ? BUILT_IN_PREFIX : isOfKind ? `${kind.id}.` : '';
    const name = `${owner}${field.id}.${form}`;
    const known = this.#known.get(bareName(name));
    if (!known) this.#known.set(bareName(name), { name, text, schema });
    else if (known.name !== name || known.text !== text) return schema;
    return schemaRef(name);
  }
}

/** Whether a field is built in: users may define parameters with the same id in other projects or kinds. */
function isBuiltIn(kind: KindDef, field: Field): boolean {
  const granted = MEMBER_FIELDS.includes(field) || EXTENDED_FIELDS.includes(field);
  return kind.builtIn || RESERVED_PARAMETERS.has(field.id) || granted;
}
