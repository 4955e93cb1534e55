/** Schemas of sign-ups, and of the bodies and answers of function calls. Pure. */
import type { Field } from '../../../model/model.js';
import type { Schema } from '../openapi.js';
import { defaultOf, valueDescription, isRequired, orNull, inputValue } from './value.schema.js';

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** The name of the schema of `SignUpBody` (`auth/dto/sign-up.dto.ts`). */
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

/** The body of a function call. `mayRead`: whether the caller may read units of a kind. */
export function functionBody(parameters: readonly Field[], mayRead: (kindId: string) => boolean): Schema {
  return declaredObject(parameters, (field) => functionParameter(field, mayRead));
}

/** The values that a function returns. They are validated like those of a body. */
export function functionAnswer(values: readonly Field[], mayRead: (kindId: string) => boolean): Schema {
  return declaredObject(values, (field) => declaredValue(field, mayRead));
}

export function functionParameter(field: Field, mayRead: (kindId: string) => boolean): Schema {
  return { ...declaredValue(field, mayRead), ...defaultOf(field.def) };
}

function declaredObject(fields: readonly Field[], schemaOf: (field: Field) => Schema): Schema {
  const required = fields.filter(isRequired).map(({ id }) => id);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.id, schemaOf(field)])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

function declaredValue(field: Field, mayRead: (kindId: string) => boolean): Schema {
  const value = inputValue(field);
  const description = valueDescription(field, mayRead);
  return {
    ...(description !== undefined && { description }),
    ...(field.def.nullable ? orNull(value) : value),
  };
}
