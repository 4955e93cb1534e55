/** The request bodies that are not units: those of the authentication endpoints, and of functions. Pure. */
import type { Field } from '../../model/model.js';
import { EMAIL_PATTERN } from '../../shared/email.js';
import { PASSWORD_LENGTH } from '../../shared/limits.js';
import type { Schema } from './openapi.js';
import { defaultOf, describeValue, isNeeded, orNull, takenValue } from './value.schema.js';

const STRING: Schema = { type: 'string' };
const PASSWORD: Schema = { type: 'string', format: 'password', writeOnly: true };
const NEW_PASSWORD: Schema = { ...PASSWORD, minLength: PASSWORD_LENGTH.min, maxLength: PASSWORD_LENGTH.max };

function object(properties: Readonly<Record<string, Schema>>, required = Object.keys(properties)): Schema {
  return { type: 'object', properties, required, additionalProperties: false };
}

/** Bodies that are the same in every project. */
export const AUTH_BODIES = {
  signin: object(
    {
      username: { ...STRING, description: 'A username or an e-mail address.' },
      password: PASSWORD,
      otp: { type: ['string', 'null'], description: 'The code of the mail, where the project asks for one.' },
    },
    ['username', 'password'],
  ),
  change: object({ current_password: PASSWORD, new_password: NEW_PASSWORD }),
  recover: object({ email: STRING }),
  reset: object({ new_password: NEW_PASSWORD }),
} as const satisfies Readonly<Record<string, Schema>>;

const CREDENTIALS: Readonly<Record<string, Schema>> = {
  username: { type: 'string', minLength: 1, maxLength: 254 },
  password: NEW_PASSWORD,
  kind_system_user: {
    ...object({ username: STRING, password: PASSWORD, email: { ...STRING, pattern: EMAIL_PATTERN } }),
    description: 'Name and password once more, and the e-mail address.',
  },
};

/** A sign-up: the credentials, and what a create of the member kind takes; undefined for any member kind. */
export function signUpBody(create: Schema | undefined): Schema {
  const { properties = {}, required = [] } = (create ?? {}) as {
    properties?: Record<string, Schema>;
    required?: readonly string[];
  };
  const own = Object.entries(properties).filter(([id]) => !Object.hasOwn(CREDENTIALS, id));
  const needed = required.filter((id) => !Object.hasOwn(CREDENTIALS, id) && id !== 'email');
  return {
    type: 'object',
    properties: { ...CREDENTIALS, ...Object.fromEntries(own) },
    required: [...Object.keys(CREDENTIALS), ...needed],
    additionalProperties: create === undefined,
  };
}

/** The parameters of a function, as a body. `mayRead`: whether the caller may read units of a kind. */
export function functionBody(parameters: readonly Field[], mayRead: (kindId: string) => boolean): Schema {
  const required = parameters.filter(isNeeded).map(({ id }) => id);
  return {
    type: 'object',
    properties: Object.fromEntries(parameters.map((field) => [field.id, functionParameter(field, mayRead)])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

export function functionParameter(field: Field, mayRead: (kindId: string) => boolean): Schema {
  const { def } = field;
  const value = takenValue(field);
  const description = describeValue(field, mayRead);
  return {
    ...(description !== undefined && { description }),
    ...(def.nullable ? orNull(value) : value),
    ...defaultOf(def),
  };
}
