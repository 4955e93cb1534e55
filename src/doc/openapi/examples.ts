/** Example bodies, which the service accepts unchanged; those of definitions have ids that are not used yet. Pure. */
import { isMemberKind, type Field, type KindDef, type Model } from '../../model/model.js';
import { parameterType, isParameterTypeId } from '../../model/parameter-type/type-by-id.js';
import type { Json } from '../../shared/json.js';
import { LIMITS } from '../../shared/limits.js';
import type { Schema } from './openapi.js';
import { bodyFields, isRequiredInBody, type KindContext } from './schema/unit.schema.js';
import { isReference } from '../../model/parameter-type/parameter-type.js';
import type { ParameterTypeId } from '../../model/parameter-type/parameter-types.js';
import { ADMIN_KIND, GROUP_KIND, KIND_KIND, LINK_KIND } from '../../model/built-in-traits.js';
import type { ParameterDef } from '../../model/parameter-type/parameter-def.js';

/** Only administrators may change them. */
const ADMIN_ONLY_FIELDS: readonly string[] = ['username', 'email'];
const EXAMPLE_PASSWORD = 'correct horse battery staple';

/**
 * An example body with the required fields, and for users' kinds also simple ones. A required reference contains the
 * body of a new unit. Undefined if a required value is unknown.
 */
export function bodyExample(kind: KindDef, context: KindContext, create: boolean): Schema | undefined {
  const definition = definitionExample(kind, context.model, create, (id) => context.names.has(id));
  if (definition) return definition;
  const fields = bodyFields(kind, context).filter((field) => {
    if (!create && (neverChanges(field) || (isMemberKind(kind) && ADMIN_ONLY_FIELDS.includes(field.id)))) return false;
    return isRequiredInBody(kind, field) || memberExample(kind, field) !== undefined || isSimpleField(kind, field);
  });
  if (!create) return exampleBody(fields, () => false);
  const variants = variantsOf(kind, context);
  return exampleBody(
    fields,
    (field) => isRequiredInBody(kind, field),
    (field) => nestedExample(kind, field, { ...context, variants }),
  );
}

/** An example sign-up. */
export function signUpExample(kind: KindDef, context: KindContext): Schema | undefined {
  const create = bodyExample(kind, context, true);
  const user = { username: `new_${kind.id}`, password: EXAMPLE_PASSWORD, email: `new_${kind.id}@example.com` };
  const { username, password, email } = user;
  return create && { ...create, username, email, password, kind_system_user: user };
}

function isSimpleField({ builtIn }: KindDef, { def, reference }: Field): boolean {
  return !builtIn && def.default === null && !def.made && !reference && !parameterType(def.type).omittedFromExamples;
}

function neverChanges({ id, def }: Field): boolean {
  return id === 'id' || def.primary;
}

/** An example value of a field that all members have. Names differ from those of other examples. */
function memberExample(kind: KindDef, { id }: Field): string | undefined {
  if (!isMemberKind(kind)) return undefined;
  switch (id) {
    case 'username':
      return `some_${kind.id}`;
    case 'email':
      return `some_${kind.id}@example.com`;
    case 'first_name':
      return 'Ann';
    case 'last_name':
      return 'Smith';
    default:
      return undefined;
  }
}

/** Numbers for nested units, different for each unit and kind, so that their keys are unique. */
function* variantsOf({ id }: KindDef, { model }: KindContext): Generator<number, number> {
  const at = [...model.kinds.keys()].indexOf(id);
  for (let next = 1; ; next += 1) yield at * LIMITS.references + next;
}

interface Nesting extends KindContext {
  readonly variants: Iterator<number, number>;
}

/**
 * Values that definitions do not determine: names of members, and nested units in place of ids. @param depth of the
 * unit with the field
 */
function nestedExample(kind: KindDef, field: Field, nesting: Nesting, depth = 1): Json | undefined {
  const member = memberExample(kind, field);
  if (member !== undefined) return member;
  const target = nesting.model.kinds.get(field.reference?.kind ?? '');
  if (!target || !isRequiredInBody(kind, field) || !kind.storage.nested || depth > LIMITS.references) return undefined;
  if (!nesting.mayCreate(target.id)) return undefined;
  const required = bodyFields(target, nesting).filter((each) => isRequiredInBody(target, each));
  return exampleBody(
    required,
    () => true,
    (each) => nestedExample(target, each, nesting, depth + 1),
    nesting.variants.next().value,
  );
}

/** An example body for creating or editing a definition; undefined for kinds whose units are no definitions. */
function definitionExample(
  kind: KindDef,
  model: Model,
  create: boolean,
  isNamed: (kindId: string) => boolean,
): Schema | undefined {
  if (!kind.builtIn || kind.key !== 'identifier') return undefined;
  if (!create) return { label: 'A better name' };
  if (kind.id === KIND_KIND) return kindExample(model);
  if (kind.id === GROUP_KIND) {
    return { id: freeId('favourites', model.groups), label: 'Favourites', description: 'What we like', kind_list: [] };
  }
  if (kind.id === LINK_KIND) return { id: freeId('knows', model.linkTypes), label: 'Knows' };
  return isParameterTypeId(kind.id) ? parameterExample(kind.id, model, isNamed) : undefined;
}

/** A complete kind with inline parameters, a unique constraint and access. */
function kindExample({ kinds, parameters }: Model): Schema {
  const [title, year, genre] = ['title', 'year', 'genre'].map((id) => freeId(id, parameters));
  return {
    id: freeId('book', kinds),
    label: 'Book',
    parameters: [
      { id: title, kind_id: 'string', label: 'Title', required: true, max_length: 200 },
      { id: year, kind_id: 'integer', label: 'Year', min_value: 1450 },
      { id: genre, kind_id: 'string', label: 'Genre', values: ['novel', 'poetry'], default_string: 'novel' },
    ],
    unique: [[title, year]],
    indexes: [[genre, year]],
    checks: [
      { id: 'poetry', filter: `or(ne(${genre},poetry),gte(${year},1700))`, text: 'Our poetry is of 1700 or later' },
    ],
    access: { read: 'anyone', update: 'admin', delete: 'admin' },
    accepted: { read: 'the public library' },
    metadata: {},
  };
}

function parameterExample(
  type: ParameterTypeId,
  { kinds, parameters }: Model,
  isNamed: (kindId: string) => boolean,
): Schema {
  const target = [...kinds.values()].find(({ id, builtIn, storage }) => !builtIn && storage.hasTable && isNamed(id));
  return {
    id: freeId(`example_${type}`, parameters),
    label: 'Example',
    helper_text: 'What it is for',
    ...(isReference(parameterType(type)) && { reference_kind: target?.id ?? ADMIN_KIND }),
  };
}

function freeId(id: string, taken: { has: (id: string) => boolean }): string {
  let free = id;
  for (let at = 2; taken.has(free); at += 1) free = `${id}_${at}`;
  return free;
}

type ExampleBody = Readonly<Record<string, Json>>;

/**
 * An example body: the required fields, and other fields with a known value. Undefined if a required value is unknown,
 * because an incomplete body would look complete. `valueOf` provides values that definitions do not determine.
 */
export function exampleBody(
  fields: readonly Field[],
  isNeeded: (field: Field) => boolean,
  valueOf: (field: Field) => Json | undefined = () => undefined,
  variant = 0,
): ExampleBody | undefined {
  const values: [string, Json][] = [];
  for (const field of fields) {
    const value = valueOf(field) ?? exampleValue(field, variant);
    if (value !== undefined) values.push([field.id, value]);
    else if (isNeeded(field)) return undefined;
  }
  return Object.fromEntries(values);
}

function exampleValue({ def, type }: Field, variant: number): Json | undefined {
  const value = def.values?.[variant % def.values.length] ?? definedExample(def, variant);
  if (value === undefined || value === null || type.accept(value, def, () => undefined) === undefined) return undefined;
  return def.multiple ? [value] : value;
}

/** Undefined if the definition does not determine a value: what matches a pattern is not guessed. */
function definedExample(def: ParameterDef, variant: number): Json | undefined {
  return def.pattern === undefined ? parameterType(def.type).example?.(def, variant) : undefined;
}
