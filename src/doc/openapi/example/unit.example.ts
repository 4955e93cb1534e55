/** Example bodies, which the service accepts unchanged. Pure. */
import { isMemberKind, type Field, type KindDef } from '../../../model/model.js';
import { parameterType } from '../../../model/parameter-type/type-by-id.js';
import type { Json } from '../../../shared/json.js';
import { LIMITS } from '../../../shared/limits.js';
import { definitionExample } from './definition.example.js';
import { exampleBody } from './example.js';
import type { Schema } from '../openapi.js';
import { bodyFields, isRequiredInBody, type KindContext } from '../schema/unit.schema.js';

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
  return !builtIn && def.default === null && !reference && !parameterType(def.type).omittedFromExamples;
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
