/**
 * Example bodies, which the service accepts with ids of units in place of those in them. Definitions have ids that are not
 * used yet. Pure.
 */
import { isMemberKind, MEMBER_GROUP, type Field, type KindDef, type Model } from '../../model/model.js';
import { parameterType, isParameterTypeId } from '../../model/parameter-type/type-by-id.js';
import type { Json } from '../../shared/json.js';
import type { NamedExamples, Schema } from './openapi.js';
import { bodyFields, isRequiredInBody, type KindContext } from './schema/unit.schema.js';
import { EXTENDED_FIELDS } from '../../model/built-in/built-in.js';
import { isReference } from '../../model/parameter-type/parameter-type.js';
import type { ParameterTypeId } from '../../model/parameter-type/parameter-types.js';
import {
  ADMIN_KIND,
  GROUP_KIND,
  IDENTITY_PROVIDER_KIND,
  KIND_KIND,
  LINK_KIND,
  WEBHOOK_KIND,
} from '../../model/built-in-traits.js';

/** Only administrators may change them. */
const ADMIN_ONLY_FIELDS: readonly string[] = ['username', 'email'];
const EXAMPLE_PASSWORD = 'correct horse battery staple';

/**
 * An example body with the required fields, and for users' kinds also simple ones. Undefined if a required value is
 * unknown.
 */
export function bodyExample(kind: KindDef, context: KindContext, create: boolean): Schema | undefined {
  const definition = definitionExample(kind, context.model, create, (id) => context.names.has(id));
  if (definition) return definition;
  const fills = context.fills(kind);
  const isShown = (field: Field) => (create ? !fills.has(field.id) : isChangedByExample(kind, field));
  const fields = bodyFields(kind, context).filter((field) => {
    if (!isShown(field)) return false;
    return isRequiredInBody(kind, field) || memberExample(kind, field) !== undefined || isSimpleField(kind, field);
  });
  return exampleBody(
    fields,
    (field) => create && isRequiredInBody(kind, field),
    (field) => (create ? memberExample(kind, field) : undefined),
  );
}

/** Several bodies for the creation of a kind, as OpenAPI's `examples`; undefined for other bodies. */
export function namedExamples(kind: KindDef, context: KindContext): NamedExamples | undefined {
  if (kind.id !== KIND_KIND) return undefined;
  const { model, names } = context;
  const member = freeId('person', model.kinds);
  return {
    kind: { summary: 'A kind with parameters, a set of unique values and a check', value: kindExample(model) },
    rules: {
      summary: 'Members read and change what is theirs; administrators everything',
      value: ruledKindExample(model, (id) => names.has(id)),
    },
    members: {
      summary: `Members who sign up; after it, POST /api/lib/group/unit/${MEMBER_GROUP}/link/group/kind/unit/${member}`,
      value: { id: member, label: 'Person', access: { signup: 'anyone', read: 'member' } },
    },
  };
}

/** An example sign-up. */
export function signUpExample(kind: KindDef, context: KindContext): Schema | undefined {
  const create = bodyExample(kind, context, true);
  const user = { username: `new_${kind.id}`, password: EXAMPLE_PASSWORD, email: `new_${kind.id}@example.com` };
  const { username, password, email } = user;
  return create && { ...create, username, email, password, kind_system_user: user };
}

function isSimpleField({ builtIn }: KindDef, field: Field): boolean {
  const { def, reference } = field;
  if (builtIn || EXTENDED_FIELDS.includes(field)) return false;
  return def.default === null && !def.made && !reference && !parameterType(def.type).omittedFromExamples;
}

/** An edit need not lead to another unit, and changes no key. */
function isChangedByExample(kind: KindDef, { id, def, reference }: Field): boolean {
  return id !== 'id' && !def.primary && !reference && !(isMemberKind(kind) && ADMIN_ONLY_FIELDS.includes(id));
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

/** An example body for creating or editing a definition; undefined for kinds whose units are no definitions. */
function definitionExample(
  kind: KindDef,
  model: Model,
  create: boolean,
  isNamed: (kindId: string) => boolean,
): Schema | undefined {
  if (!kind.builtIn || kind.key !== 'identifier') return undefined;
  if (!create) return { label: 'A better name' };
  if (kind.id === GROUP_KIND) {
    return { id: freeId('favourites', model.groups), label: 'Favourites', description: 'What we like', kind_list: [] };
  }
  if (kind.id === LINK_KIND) return { id: freeId('knows', model.linkTypes), label: 'Knows' };
  if (kind.id === IDENTITY_PROVIDER_KIND) return providerExample(model, isNamed);
  if (kind.id === WEBHOOK_KIND) return { label: 'The ERP', url: 'https://erp.example.com/kind', headers: {} };
  return isParameterTypeId(kind.id) ? parameterExample(kind.id, model, isNamed) : undefined;
}

function providerExample({ kinds }: Model, isNamed: (kindId: string) => boolean): Schema {
  return {
    label: 'Google',
    issuer: 'https://accounts.google.com',
    client_id: '4711.apps.googleusercontent.com',
    client_secret: 'the secret that it gave',
    member_kind: memberKind(kinds, isNamed),
    claims: { first_name: 'given_name' },
  };
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

/** A kind that is closed by rules: each member has units of its own. */
function ruledKindExample({ kinds, parameters }: Model, isNamed: (kindId: string) => boolean): Schema {
  const [owner, subject, state] = ['owner', 'subject', 'state'].map((id) => freeId(id, parameters));
  const own = `eq(${owner},@member.id)`;
  return {
    id: freeId('ticket', kinds),
    label: 'Ticket',
    parameters: [
      {
        id: owner,
        kind_id: 'unit',
        reference_kind: memberKind(kinds, isNamed),
        default_unit: '@member.id',
        write_once: true,
      },
      { id: subject, kind_id: 'string', required: true, max_length: 200 },
      { id: state, kind_id: 'string', values: ['open', 'closed'], default_string: 'open' },
    ],
    access: {
      read: own,
      create: own,
      update: `and(${own},eq(@before.${state},open))`,
      delete: 'admin',
      link: own,
      function: own,
    },
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

/** A kind of members that projects define; administrators, if there is none. */
function memberKind(kinds: Model['kinds'], isNamed: (kindId: string) => boolean): string {
  const members = [...kinds.values()].find((kind) => !kind.builtIn && isMemberKind(kind) && isNamed(kind.id));
  return members?.id ?? ADMIN_KIND;
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
): ExampleBody | undefined {
  const values: [string, Json][] = [];
  for (const field of fields) {
    const value = valueOf(field) ?? exampleValue(field);
    if (value !== undefined) values.push([field.id, value]);
    else if (isNeeded(field)) return undefined;
  }
  return Object.fromEntries(values);
}

function exampleValue(field: Field): Json | undefined {
  const { def, type } = field;
  const value = def.values?.[0] ?? definedExample(field);
  if (value === undefined || value === null || type.accept(value, def, () => undefined) === undefined) return undefined;
  return def.multiple ? [value] : value;
}

/**
 * Undefined if the definition does not determine a value: what matches a pattern is not guessed. Of a reference an id like
 * those of the other kind; nothing is created with the unit.
 */
function definedExample({ def, reference }: Field): Json | undefined {
  return def.pattern === undefined ? (reference?.key ?? parameterType(def.type)).example?.(def) : undefined;
}
