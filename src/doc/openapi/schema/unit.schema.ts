/** The schemas of a kind's units for one caller, made from its field masks. Pure. */
import { madeTexts } from '../../../model/made-default.js';
import { grantOf } from '../../../access/access.js';
import { describedFields, mayReadField, readableFields, writableFields } from '../../../access/masks.js';
import { isRequired, isTimeField } from '../../../model/field.js';
import { expressionWordsOf } from '../../../model/expression.js';
import { isDefinitionKind, type Field, type KindDef, type Model } from '../../../model/model.js';
import { RENAME_TO } from '../../../model/rename/renames.js';
import { plainFields, unconditional } from '../../../model/predicate/conditional-field.js';
import { isParameterTypeId, PARAMETER_TYPES } from '../../../model/parameter-type/type-by-id.js';
import type { Json } from '../../../shared/json.js';
import type { Caller } from '../../../tenancy/caller.js';
import {
  withoutContradictions,
  outputFieldSchema,
  ID_OR_LABEL,
  parameterListSchema,
  inputFieldSchema,
} from './definition.schema.js';
import type { KindNames } from '../names.js';
import { escapeMarkdown, schemaRef, type Schema } from '../openapi.js';
import {
  type SharedValues,
  outputValue,
  defaultOf,
  expressionSchema,
  valueDescription,
  isAnyValue,
  orNull,
  inputValue,
} from './value.schema.js';
import { KIND_KIND, LINK_KIND } from '../../../model/built-in-traits.js';
import { LIMITS } from '../../../shared/limits.js';

/** The caller, and the kinds whose units it may create or read; other kinds are not named. */
export interface KindContext {
  readonly model: Model;
  readonly caller: Caller;
  readonly mayCreate: (kindId: string) => boolean;
  readonly mayRead: (kindId: string) => boolean;
  /** Whether the document describes the kind, or is one of other kinds. */
  readonly describes: (kindId: string) => boolean;
  readonly fills: (kind: KindDef) => ReadonlySet<string>;
  /** Whether the document is of no project, each of which may add parameters to some built-in kinds. */
  readonly generic: boolean;
  readonly names: KindNames;
  readonly values: SharedValues;
}

/** A unit in answers. No field is required, because `include` and `exclude` select them. */
export function recordSchema(kind: KindDef, context: KindContext): Schema {
  const fields = plainFields(describedFields(kind, context.caller, context.model));
  return {
    type: 'object',
    description: `A unit of ${escapeMarkdown(kind.label)}. With \`include\` it may have more: terms under their names, and paths over references and into JSON.`,
    // It may have more fields, and says nothing of them: generators of clients make an index signature of what it says.
    properties: {
      ...propertySchemas(fields, (field) => orNested(field, outputProperty(kind, field, context), context)),
      links: schemaRef('kind_links'),
    },
  };
}

/** With `nest`, an included path makes an object of the reference that it begins with. */
function orNested({ reference, column }: Field, schema: Schema, context: KindContext): Schema {
  const kind = column === undefined ? undefined : context.model.kinds.get(reference?.kind ?? '');
  if (!kind || !context.mayRead(kind.id)) return schema;
  const isDescribed = context.describes(kind.id);
  return {
    anyOf: [
      schema,
      ...(isDescribed ? [schemaRef(context.names.schema(kind.id, 'record'))] : []),
      ...(isDescribed && readsAll(kind, context) ? [] : [schemaRef('kind_nested_unit')]),
    ],
  };
}

/** Whether the caller may read every unit of the kind. */
export function readsAll(kind: KindDef, { caller, model }: Pick<KindContext, 'caller' | 'model'>): boolean {
  const read = grantOf(kind, 'read', caller, model);
  return read !== undefined && read.predicate === undefined;
}

/**
 * What a create of one unit answers: all fields, if the caller may read every unit of the kind. Not `allOf` of the record,
 * because some generators of clients pass over `required` beside it.
 */
export function createdSchema(kind: KindDef, context: KindContext): Schema {
  const { caller, model, names } = context;
  if (!readsAll(kind, context)) return schemaRef(names.schema(kind.id, 'record'));
  return { ...recordSchema(kind, context), required: recordFieldIds(kind, caller, model) };
}

/** What a create of many units answers: the units; of an upsert with what happened to each. */
export function createdManySchema(unit: Schema): Schema {
  const properties = {
    count: { type: 'integer', minimum: 0 },
    items: { type: 'array', items: unit },
    results: schemaRef('kind_upsert_results'),
  };
  return { type: 'object', properties, required: ['count', 'items'], additionalProperties: false };
}

/** The fields of every answer without `include` and `exclude`: those with rules are not in every unit. */
function recordFieldIds(kind: KindDef, caller: Caller, model: Model): string[] {
  return [...unconditional(readableFields(kind, caller, model)).keys()];
}

export function outputProperty(kind: KindDef, field: Field, context: KindContext): Schema {
  const { def, constant } = field;
  if (field.id === 'kind_id') return { type: 'string', const: kind.id };
  if (constant !== undefined) return constantSchema(constant);
  const form = outputFieldSchema(kind, field);
  const value = form ?? orList(field, outputValue(field));
  const nullable = def.nullable || field.shownWhere !== undefined;
  const schema = { ...described(field, context, form !== undefined), ...(nullable ? orNull(value) : value) };
  return context.values.share(kind, field, 'value', schema);
}

function constantSchema(constant: Json): Schema {
  return constant === null ? { type: 'null' } : { type: typeof constant, const: constant };
}

/**
 * The schema of a value. A default may be one value or a list, as the parameter may be either, or a text that says how it
 * is made.
 */
function orList(field: Field, value: Schema): Schema {
  if (field.describedAs === undefined || !field.id.startsWith('default_') || isAnyValue(value)) return value;
  const texts = madeTexts(field.def.type);
  const made = texts.length > 0 ? [{ type: 'string', enum: texts }] : [];
  const [only] = PARAMETER_TYPES.get(field.def.type)?.makes === 'caller' ? made : [];
  return only ?? { anyOf: [value, { type: 'array', items: value }, ...made] };
}

function described(field: Field, { mayRead, caller }: KindContext, hasForm: boolean): Schema {
  const isTold = field.def.made === undefined || mayReadField(field, caller);
  const told = isTold ? field : { ...field, def: { ...field.def, made: undefined } };
  const description = valueDescription(told, mayRead, hasForm);
  return description === undefined ? {} : { description };
}

export function createSchema(kind: KindDef, context: KindContext): Schema {
  const fields = bodyFields(kind, context);
  const schema = bodySchema(kind, fields, context, true);
  const fills = context.fills(kind);
  const needed = fields.filter((field) => isRequiredInBody(kind, field)).map(({ id }) => id);
  const required = needed.filter((id) => !fills.has(id));
  const filled = needed.filter((id) => fills.has(id));
  const withHook = `${String(schema['description'])} A hook of the project makes what is left out of: ${filled.join(', ')}.`;
  return {
    ...schema,
    ...(filled.length > 0 && { description: withHook }),
    ...(required.length > 0 && { required }),
    ...(kind.key === 'identifier' && ID_OR_LABEL),
  };
}

/** An edit accepts a complete record that was read. */
export function updateSchema(kind: KindDef, context: KindContext): Schema {
  return bodySchema(kind, bodyFields(kind, context), context, false);
}

function bodySchema(kind: KindDef, fields: readonly Field[], context: KindContext, create: boolean): Schema {
  const settable = new Set(fields);
  const repeated = repeatableFields(kind, context, create).filter((field) => !settable.has(field));
  return {
    type: 'object',
    description: `What ${create ? 'a create' : 'an edit'} of ${escapeMarkdown(kind.label)} takes. ${REPEATED_FIELD_TEXTS[create ? 'create' : 'update']}`,
    properties: {
      ...propertySchemas(repeated, (field) => repeatedProperty(kind, field, context, create)),
      ...propertySchemas(fields, (field) => inputProperty(kind, field, context, create)),
      ...(!create && isDefinitionKind(kind) && { [RENAME_TO]: RENAMED }),
    },
    additionalProperties: context.generic && kind.traits.extensible === true,
    ...(isParameterTypeId(kind.id) && withoutContradictions(kind.id, create)),
  };
}

const RENAMED: Schema = {
  ...schemaRef('kind_identifier'),
  description:
    'Another id. What has the present one, and what names it, goes on under the new one; the old address ends.',
};

const REPEATED_FIELD_TEXTS = {
  create: 'What only the service writes may be there as it was answered, and is passed over.',
  update: 'What cannot be changed may be there as it was answered.',
} as const;

/**
 * Fields that a body may repeat from a record. A create ignores them or requires equality; an edit accepts all that the
 * caller may read.
 */
function repeatableFields(kind: KindDef, { caller, model }: KindContext, create: boolean): Field[] {
  const readable = describedFields(kind, caller, model);
  const constants = [...kind.fields.values()].filter((field) => {
    const isNumber = field.def.sequence && readable.has(field.id);
    return (
      field.id === 'kind_id' || field.constant !== undefined || (create && (isNumber || isIgnoredByCreate(kind, field)))
    );
  });
  return [...new Set([...constants, ...(create ? [] : plainFields(readable))])];
}

/** A create does not accept null for what it ignores. */
function repeatedProperty(kind: KindDef, field: Field, context: KindContext, create: boolean): Schema {
  if (!field.type.anySpelling) return outputProperty(kind, field, context);
  const value = inputValue(field);
  return context.values.share(kind, field, 'input', field.def.nullable && !create ? orNull(value) : value);
}

/** A create ignores the times of a record, and accepts a natural key also as `id`. */
function isIgnoredByCreate(kind: KindDef, { id }: Field): boolean {
  return isTimeField(id) || (id === 'id' && kind.key === 'natural');
}

/** The fields that a body may set. */
export function bodyFields(kind: KindDef, { caller, model }: Pick<KindContext, 'caller' | 'model'>): Field[] {
  return plainFields(writableFields(kind, caller, model)).filter(({ recordOnly }) => recordOnly !== true);
}

/** The label of a definition can be derived from its id, and the id from the label. */
export function isRequiredInBody(kind: KindDef, field: Field): boolean {
  if (kind.key === 'identifier' && (field.id === 'id' || field.id === 'label')) return false;
  return isRequired(field);
}

export function inputProperty(kind: KindDef, field: Field, context: KindContext, create: boolean): Schema {
  const { def } = field;
  const { caller, model } = context;
  const form = nestedUnitSchema(kind, field, context) ?? inputFieldSchema(kind, field, create);
  const readable = readableFields(kind, caller, model).has(field.id);
  const definition = mayReadField(field, caller);
  const plain = form ?? orList(field, inputValue(field));
  const value = create || !readable ? plain : orExpression(kind, field, plain);
  const schema = { ...described(field, context, form !== undefined), ...(def.nullable ? orNull(value) : value) };
  return {
    ...context.values.share(kind, field, value === plain ? 'input' : 'edit', schema),
    ...(create && definition && defaultOf(def)),
    ...((!readable || field.column === undefined) && { writeOnly: true }),
  };
}

/** An edit takes an expression on the stored value too. Those of JSON are objects, as other values of it can be. */
function orExpression(kind: KindDef, field: Field, value: Schema): Schema {
  const expression = expressionSchema(field, expressionWordsOf(field, kind));
  return expression ? { anyOf: [value, expression] } : value;
}

/** The most parameters of a definition, by its kind. */
const MOST_PARAMETERS: ReadonlyMap<string, number> = new Map([
  [KIND_KIND, LIMITS.parametersPerKind],
  [LINK_KIND, LIMITS.parametersPerLinkType],
]);

/** The schema of a reference if an object may replace the id, which creates the referenced unit. */
function nestedUnitSchema(kind: KindDef, field: Field, context: KindContext): Schema | undefined {
  const { mayCreate, names } = context;
  const most = kind.builtIn && field.id === 'parameters' ? MOST_PARAMETERS.get(kind.id) : undefined;
  if (most !== undefined) {
    // Callers who may create the definition may define parameters in it.
    const types = [...PARAMETER_TYPES.keys()].filter((type) => names.has(type));
    return parameterListSchema(new Map(types.map((type) => [type, names.schema(type, 'create')])), most);
  }
  const target = field.reference?.kind;
  if (target === undefined || !kind.storage.nested || !mayCreate(target)) return undefined;
  return { anyOf: [inputValue(field), schemaRef(names.schema(target, 'create'))] };
}

export function propertySchemas(fields: readonly Field[], schemaOf: (field: Field) => Schema): Record<string, Schema> {
  return Object.fromEntries(fields.map((field) => [field.id, schemaOf(field)]));
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** The name of the schema of `SignUpBody` (`auth/sign-up/sign-up.dto.ts`). */
const SIGN_UP_SCHEMA = 'kind_sign_up';

/**
 * The body of a sign-up: the credentials, and the body of a create of the member kind (undefined for any member kind).
 * @throws Error if the schema of the credentials is missing
 */
export function signUpBody(schemas: Readonly<Record<string, Schema>>, create: Schema | undefined): Schema {
  const credentials = schemas[SIGN_UP_SCHEMA] as ObjectSchema | undefined;
  if (!credentials) throw new Error(`the API document has no schema '${SIGN_UP_SCHEMA}' for the body of a sign-up`);
  const { properties = {}, required = [] } = (create ?? {}) as ObjectSchema;
  const others = Object.entries(properties).filter(([id]) => !Object.hasOwn(credentials.properties ?? {}, id));
  const otherRequired = required.filter((id) => !Object.hasOwn(credentials.properties ?? {}, id) && id !== 'email');
  return {
    ...credentials,
    properties: { ...credentials.properties, ...Object.fromEntries(others) },
    required: [...(credentials.required ?? []), ...otherRequired],
    additionalProperties: create === undefined,
  };
}
