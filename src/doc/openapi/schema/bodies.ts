/** Schemas of request bodies that are not units: sign-ups and function calls. Pure. */
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
  const required = parameters.filter(isRequired).map(({ id }) => id);
  return {
    type: 'object',
    properties: Object.fromEntries(parameters.map((field) => [field.id, functionParameter(field, mayRead)])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

export function functionParameter(field: Field, mayRead: (kindId: string) => boolean): Schema {
  const { def } = field;
  const value = inputValue(field);
  const description = valueDescription(field, mayRead);
  return {
    ...(description !== undefined && { description }),
    ...(def.nullable ? orNull(value) : value),
    ...defaultOf(def),
  };
}
