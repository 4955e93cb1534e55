/** The schemas of a kind's units as one caller sees them: its masks decide what is there. Pure. */
import { mayReadField, readableFields, writableFields } from '../../access/masks.js';
import type { Field, KindDef } from '../../model/model.js';
import type { Json } from '../../shared/json.js';
import { LIMITS } from '../../shared/limits.js';
import type { Caller } from '../../tenancy/caller.js';
import { exampleBody } from './example.js';
import type { KindNames } from './names.js';
import { plain, schemaRef, type Schema } from './openapi.js';
import type { SharedValues } from './shared.values.js';
import { answeredValue, defaultOf, describeValue, isNeeded, orNull, takenValue } from './value.schema.js';

const OBJECT: Schema = { type: 'object', additionalProperties: true };
const LISTS_OF_IDS: Schema = { type: 'array', items: { type: 'array', items: { type: 'string' } } };
const UNCHANGED: Schema = { readOnly: true, description: 'Needless; taken where it is as it is stored.' };
const DEFINITION: Schema = {
  ...OBJECT,
  description: 'A whole definition, which is made along: that of a parameter, with its type in `kind_id`.',
};

/** Fields of the built-in kinds that keep JSON of a known form. */
const FORMS: ReadonlyMap<string, Schema> = new Map([
  ['metadata', { ...OBJECT, description: 'Whatever is to be kept with it.' }],
  ['kind.unique', LISTS_OF_IDS],
  ['kind.indexes', LISTS_OF_IDS],
  ['kind.access', OBJECT],
]);

function formOf(kind: KindDef, field: Field): Schema | undefined {
  return FORMS.get(field.id) ?? (kind.builtIn ? FORMS.get(`${kind.id}.${field.id}`) : undefined);
}

/** Who asks, and of which kinds that one may create or read units: no other kind is named. */
export interface KindContext {
  readonly caller: Caller;
  readonly mayCreate: (kindId: string) => boolean;
  readonly mayRead: (kindId: string) => boolean;
  readonly names: KindNames;
  readonly values: SharedValues;
}

/** A unit as it is answered. Nothing in it is required: `include` and `exclude` choose. */
export function recordSchema(kind: KindDef, context: KindContext): Schema {
  const fields = [...readableFields(kind, context.caller).values()];
  return {
    type: 'object',
    description: `A unit of ${plain(kind.label)}.`,
    properties: {
      ...properties(fields, (field) => answeredProperty(kind, field, context)),
      links: schemaRef('kind_links'),
    },
    // Paths over references, and keys inside JSON, as `include` names them.
    patternProperties: { '^[^.]+\\..': {} },
    additionalProperties: false,
  };
}

/** The fields that an answer has where nothing is chosen. */
export function recordFields(kind: KindDef, caller: Caller): string[] {
  return [...readableFields(kind, caller).keys()];
}

function answeredProperty(kind: KindDef, field: Field, context: KindContext): Schema {
  const { def, constant } = field;
  if (field.id === 'kind_id') return { type: 'string', const: kind.id };
  if (constant !== undefined) return constantSchema(constant);
  const value = formOf(kind, field) ?? orList(field, answeredValue(field));
  const nullable = def.nullable || field.shownWhere !== undefined;
  const schema = { ...described(field, context), ...(nullable ? orNull(value) : value) };
  return context.values.place(kind, field, 'value', schema);
}

function constantSchema(constant: Json): Schema {
  return constant === null ? { type: 'null' } : { type: typeof constant, const: constant };
}

/** The schema of a value; where a field keeps such values or lists of them, as the defaults of parameters, of either. */
function orList(field: Field, value: Schema): Schema {
  if (field.describedAs === undefined || Object.keys(value).length === 0) return value;
  return { anyOf: [value, { type: 'array', items: value }] };
}

function described(field: Field, { mayRead }: KindContext): Schema {
  const description = describeValue(field, mayRead);
  return description === undefined ? {} : { description };
}

export function createSchema(kind: KindDef, context: KindContext): Schema {
  const fields = bodyFields(kind, context.caller);
  const required = fields.filter((field) => mustBeGiven(kind, field)).map(({ id }) => id);
  return { ...bodySchema(kind, fields, context, true), ...(required.length > 0 && { required }) };
}

/** A record that was answered may be sent back whole. */
export function updateSchema(kind: KindDef, context: KindContext): Schema {
  return bodySchema(kind, bodyFields(kind, context.caller), context, false);
}

/** A body to begin with: what must be given, and of users' kinds what holds plain values; see {@link exampleBody}. */
export function exampleOf(kind: KindDef, { caller }: KindContext, create: boolean): Schema | undefined {
  const fields = bodyFields(kind, caller).filter((field) => {
    if (!create && neverChanges(field)) return false;
    return mustBeGiven(kind, field) || field.id === 'label' || (!kind.builtIn && isPlain(field));
  });
  return exampleBody(fields, (field) => create && mustBeGiven(kind, field));
}

function isPlain({ def, reference }: Field): boolean {
  return def.default === null && !reference && def.type !== 'json' && def.type !== 'binary';
}

function neverChanges({ id, def }: Field): boolean {
  return id === 'id' || def.primary;
}

function bodySchema(kind: KindDef, fields: readonly Field[], context: KindContext, create: boolean): Schema {
  const given = new Set(fields);
  const kept = keptFields(kind, context, create).filter((field) => !given.has(field));
  return {
    type: 'object',
    description: `What ${create ? 'a create' : 'an edit'} of ${plain(kind.label)} takes.`,
    properties: {
      ...properties(kept, (field) => ({ ...keptProperty(kind, field, context, create), ...UNCHANGED })),
      ...properties(fields, (field) => takenProperty(kind, field, context, create)),
    },
    additionalProperties: false,
  };
}

/** What a body may repeat of a record: in a create what is the same, or passed over; in an edit all that its writer may read. */
function keptFields(kind: KindDef, { caller }: KindContext, create: boolean): Field[] {
  const constants = [...kind.fields.values()].filter((field) => {
    return field.id === 'kind_id' || field.constant !== undefined || (create && isRepeated(kind, field));
  });
  return [...new Set([...constants, ...(create ? [] : readableFields(kind, caller).values())])];
}

/** An instant may be repeated in any spelling, and in a create only where there is one. */
function keptProperty(kind: KindDef, field: Field, context: KindContext, create: boolean): Schema {
  if (field.type.id !== 'datetime') return answeredProperty(kind, field, context);
  const value = takenValue(field);
  return field.def.nullable && !create ? orNull(value) : value;
}

/** The times of a record are passed over by a create, and a natural key may stand there twice. */
function isRepeated(kind: KindDef, { id }: Field): boolean {
  return id === 'inserted_at' || id === 'updated_at' || (id === 'id' && kind.key === 'natural');
}

function bodyFields(kind: KindDef, caller: Caller): Field[] {
  return [...writableFields(kind, caller).values()].filter(({ recordOnly }) => recordOnly !== true);
}

/** The label of a definition can be made of its id, and the other way round. */
function mustBeGiven(kind: KindDef, field: Field): boolean {
  if (kind.key === 'identifier' && (field.id === 'id' || field.id === 'label')) return false;
  return isNeeded(field);
}

function takenProperty(kind: KindDef, field: Field, context: KindContext, create: boolean): Schema {
  const { def } = field;
  const { caller } = context;
  const value = formOf(kind, field) ?? nestedValue(kind, field, context) ?? orList(field, takenValue(field));
  const readable = mayReadField(field, caller);
  const schema = { ...described(field, context), ...(def.nullable ? orNull(value) : value) };
  return {
    ...context.values.place(kind, field, 'input', schema),
    ...(!create && neverChanges(field) && UNCHANGED),
    ...(create && readable && defaultOf(def)),
    ...((!readable || field.column === undefined) && { writeOnly: true }),
  };
}

/** Where an object may stand in place of an id: what it names is created along. */
function nestedValue(kind: KindDef, field: Field, { mayCreate, names }: KindContext): Schema | undefined {
  if (kind.id === 'kind' && field.id === 'parameters') {
    return { type: 'array', items: { anyOf: [{ type: 'string' }, DEFINITION] }, maxItems: LIMITS.parametersPerKind };
  }
  const target = field.reference?.kind;
  if (target === undefined || kind.remote || !mayCreate(target)) return undefined;
  return { anyOf: [takenValue(field), schemaRef(names.schema(target, 'create'))] };
}

function properties(fields: readonly Field[], schemaOf: (field: Field) => Schema): Record<string, Schema> {
  return Object.fromEntries(fields.map((field) => [field.id, schemaOf(field)]));
}
