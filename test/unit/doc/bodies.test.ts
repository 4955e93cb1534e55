/** The body of a sign-up in the API document. */
import { expect, it } from 'vitest';
import { signUpBody } from '../../../src/doc/openapi/schema/unit.schema.js';

const STRING = { type: 'string' };
const CREDENTIALS = { type: 'object', properties: { username: STRING }, required: ['username'] };

it('has the credentials, and what a create of the member kind has beside them', () => {
  const create = { properties: { username: {}, email: STRING, age: STRING }, required: ['username', 'email', 'age'] };
  expect(signUpBody({ kind_sign_up: CREDENTIALS }, create)).toEqual({
    type: 'object',
    properties: { username: STRING, email: STRING, age: STRING },
    required: ['username', 'age'],
    additionalProperties: false,
  });
  expect(signUpBody({ kind_sign_up: CREDENTIALS }, undefined)).toMatchObject({ additionalProperties: true });
});

it('is an error without the schema of the credentials', () => {
  expect(() => signUpBody({}, undefined)).toThrow("the API document has no schema 'kind_sign_up'");
});
