/** Bodies to begin with, which the service takes as they are. Pure. */
import { isMemberKind, type Field, type KindDef } from '../../model/model.js';
import { parameterType } from '../../model/parameter-type/registry.js';
import type { Json } from '../../shared/json.js';
import { LIMITS } from '../../shared/limits.js';
import { definitionExample } from './definition.example.js';
import { exampleBody } from './example.js';
import type { Schema } from './openapi.js';
import { bodyFields, isRequiredInBody, type KindContext } from './unit.schema.js';

/** They are changed by administrators only. */
const ADMIN_ONLY_FIELDS: readonly string[] = ['username', 'email'];
const EXAMPLE_PASSWORD = 'correct horse battery staple';

/**
 * What must be given, and of users' kinds what holds plain values. In place of the id of a unit that is needed stands
 * the body of a new one. Undefined where something is needed of which nothing is known.
 */
export function bodyExample(kind: KindDef, context: KindContext, create: boolean): Schema | undefined {
  const definition = definitionExample(kind, context.model, create, (id) => context.names.has(id));
  if (definition) return definition;
  const fields = bodyFields(kind, context.caller).filter((field) => {
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

/** A sign-up: name and password twice, and what else the member kind needs. */
export function signUpExample(kind: KindDef, context: KindContext): Schema | undefined {
  const create = bodyExample(kind, context, true);
  const user = { username: `new_${kind.id}`, password: EXAMPLE_PASSWORD, email: `new_${kind.id}@example.com` };
  const { username, password, email } = user;
  return create && { ...create, username, email, password, kind_system_user: user };
}

function isSimpleField({ builtIn }: KindDef, { def, reference }: Field): boolean {
  return !builtIn && def.default === null && !reference && !parameterType(def.type).omittedFromExamples;
}

function neverChanges({ id, def }: Field): boolean {
  return id === 'id' || def.primary;
}

/** A value of a field that every member has. Names are those of no other example. */
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

/** Numbers for the units inside others, each another one, and other ones for every kind: of keys there is one unit. */
function* variantsOf({ id }: KindDef, { model }: KindContext): Generator<number, number> {
  const at = [...model.kinds.keys()].indexOf(id);
  for (let next = 1; ; next += 1) yield at * LIMITS.references + next;
}

interface Nesting extends KindContext {
  readonly variants: Iterator<number, number>;
}

/** What no definition tells: names of members, and new units in place of ids. @param depth of the unit that has the field */
function nestedExample(kind: KindDef, field: Field, nesting: Nesting, depth = 1): Json | undefined {
  const member = memberExample(kind, field);
  if (member !== undefined) return member;
  const target = nesting.model.kinds.get(field.reference?.kind ?? '');
  if (!target || !isRequiredInBody(kind, field) || !kind.storage.nested || depth > LIMITS.references) return undefined;
  if (!nesting.mayCreate(target.id)) return undefined;
  const needed = bodyFields(target, nesting.caller).filter((each) => isRequiredInBody(target, each));
  return exampleBody(
    needed,
    () => true,
    (each) => nestedExample(target, each, nesting, depth + 1),
    nesting.variants.next().value,
  );
}
