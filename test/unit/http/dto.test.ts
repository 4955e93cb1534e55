/** Bodies of fixed shape: all faults are reported, each with its parameter. */
import { expect, test } from 'vitest';
import { NestedObject, OptionalText, readDto, Text } from '../../../src/http/body/dto.js';
import { KindError } from '../../../src/shared/errors.js';

class Inner {
  @Text()
  readonly email!: string;
}

class Outer {
  @Text()
  readonly name!: string;

  @OptionalText()
  readonly code: string | null = null;

  @NestedObject(() => Inner, 'must be an object with email', 'The address.')
  readonly user!: Inner;
}

const USER = { email: 'ada@example.com' };

function faultsOf(body: unknown): string[] {
  try {
    readDto(Outer, body);
    return [];
  } catch (error) {
    if (!(error instanceof KindError)) throw error;
    return error.messages.map(({ code, text, parameter }) => `${code} @${parameter ?? ''}: ${text}`);
  }
}

test.each([
  [{ name: 'Ada', user: USER }, null],
  [{ name: 'Ada', user: USER, code: null }, null],
  [{ name: 'Ada', user: USER, code: '123' }, '123'],
])('%j is read', (body, code) => {
  const read = readDto(Outer, body);
  expect(read).toBeInstanceOf(Outer);
  expect(read).toEqual({ name: 'Ada', code, user: USER });
  expect(read.user).toBeInstanceOf(Inner);
});

test.each<[unknown, string[]]>([
  [undefined, ['body.not_object @: The body must be a JSON object, got none']],
  [[], ['body.not_object @: The body must be a JSON object, got array']],
  [
    {},
    ['parameter.required @name: name: must be given', 'parameter.required @user: user: must be an object with email'],
  ],
  [
    { name: 5, code: [], user: 'x' },
    [
      'parameter.bad_type @name: name: must be a string, got number',
      'parameter.bad_type @code: code: must be a string or null, got array',
      'parameter.bad_type @user: user: must be an object with email',
    ],
  ],
  [
    { name: 'a\u0000b', user: { email: null, admin: true }, role: 'x' },
    [
      'parameter.bad_value @name: name: has a NUL character, which cannot be stored',
      'parameter.bad_type @user.email: user.email: must be a string, got null',
      'parameter.unknown @user.admin: user.admin: there is no such parameter here; there are email',
      'parameter.unknown @role: role: there is no such parameter here; there are name, code, user',
    ],
  ],
])('%j is refused', (body, faults) => {
  expect(faultsOf(body)).toEqual(faults);
});

test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('%s is a name like any other', (name) => {
  const body: unknown = JSON.parse(`{"name": "Ada", "user": ${JSON.stringify(USER)}, "${name}": {"code": "1"}}`);
  expect(faultsOf(body)).toEqual([
    `parameter.unknown @${name}: ${name}: there is no such parameter here; there are name, code, user`,
  ]);
});

test.each(['__proto__', 'constructor'])('%s inside a value is reported like any other name', (name) => {
  const value = `{"email": "ada@example.com", "${name}": {}}`;
  const nested: unknown = JSON.parse(`{"name": "Ada", "user": ${value}}`);
  const text: unknown = JSON.parse(`{"name": ${value}, "user": ${JSON.stringify(USER)}}`);
  expect(faultsOf(nested)).toEqual([
    `parameter.unknown @user.${name}: user.${name}: there is no such parameter here; there are email`,
  ]);
  expect(faultsOf(text)).toEqual(['parameter.bad_type @name: name: must be a string, got object']);
});
