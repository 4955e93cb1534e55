/** Tables of the documentation against the code that they describe, in both directions. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import 'reflect-metadata';
import { PATH_METADATA } from '@nestjs/common/constants';
import { describe, expect, test } from 'vitest';
import { EmailController } from '../../src/auth/email/email.controller.js';
import { MailedCodeController } from '../../src/auth/mailed-code/mailed-code.controller.js';
import { PasswordController } from '../../src/auth/password/password.controller.js';
import { SignInController } from '../../src/auth/password/sign-in.controller.js';
import { MemberSessionsController } from '../../src/auth/session/member-sessions.controller.js';
import { OwnSessionsController } from '../../src/auth/session/own-sessions.controller.js';
import { MailController } from '../../src/auth/settings/mail.controller.js';
import { SignUpController } from '../../src/auth/sign-up/sign-up.controller.js';
import { WaysController } from '../../src/auth/ways.controller.js';
import { ATTEMPT_LIMITS } from '../../src/auth/throttle.js';
import { PARAMETER_TYPES } from '../../src/model/parameter-type/type-by-id.js';
import { ERRORS } from '../../src/shared/errors.js';
import { LIMITS } from '../../src/shared/limits.js';
import { tableRows } from './markdown.js';

const page = (name: string) => readFileSync(join(import.meta.dirname, '../../docs', name), 'utf8');
const code = (cell: string | undefined) => cell?.replace(/^`(.*)`$/, '$1') ?? '';

describe('docs/errors.md', () => {
  test('has every code with its status and meaning, and no other', () => {
    const told = tableRows(page('errors.md')).map(([name, status, meaning]) => [code(name), Number(status), meaning]);
    const known = Object.entries(ERRORS).map(([name, { status, meaning }]) => [name, status, meaning]);
    expect(told).toEqual(known);
  });

  test.each(['model.md', 'limits.md', 'filter.md', 'writing.md', 'auth.md', 'access.md'])(
    'knows every code that %s names',
    (name) => {
      const areas = new Set(Object.keys(ERRORS).map((each) => each.split('.')[0]));
      const named = [...page(name).matchAll(/`([a-z]+)\.([a-z_]+)[`:]/g)]
        .filter(([, area, reason]) => areas.has(area ?? '') && reason !== 'md')
        .map(([, area, reason]) => `${area}.${reason}`);
      expect(named.filter((each) => !Object.hasOwn(ERRORS, each))).toEqual([]);
    },
  );
});

test('docs/limits.md has every limit with its value, and no other', () => {
  const told = tableRows(page('limits.md')).map(([name, value]) => [code(name), Number(value)]);
  expect(told).toEqual(Object.entries(LIMITS));
});

test('docs/auth.md has the limits of the throttle, and every authentication endpoint', () => {
  const section = page('auth.md').split('## Too many attempts')[1] ?? '';
  const told = tableRows(section).map(([name, value]) => [code(name), Number(value)]);
  expect(told).toEqual(Object.entries(ATTEMPT_LIMITS));
  const routes = [
    EmailController,
    MailController,
    MailedCodeController,
    MemberSessionsController,
    OwnSessionsController,
    PasswordController,
    SignInController,
    SignUpController,
    WaysController,
  ]
    .flatMap(({ prototype }) => Object.entries(Object.getOwnPropertyDescriptors(prototype)))
    .filter(([name, { value }]) => name !== 'constructor' && value !== undefined)
    .map(([, { value }]) => Reflect.getMetadata(PATH_METADATA, value as object) as string | undefined)
    .flatMap((path) => path?.replace(/:\w+/g, '<') ?? []);
  expect(routes.length).toBeGreaterThan(10);
  const addresses = [...page('auth.md').matchAll(/\/api\/lib\/auth\/([^`]+)`/g)].map(([, path]) =>
    (path ?? '').replace(/<[^>]+>/g, '<'),
  );
  expect(new Set(addresses)).toEqual(new Set(routes));
});

test('docs/model.md has every parameter type with its column and its own fields', () => {
  const section = page('model.md').split('## Parameters')[1] ?? '';
  const told = tableRows(section)
    .slice(0, PARAMETER_TYPES.size)
    .map(([type, , column, fields]) => ({
      type: code(type),
      column: code(column?.split(/ or |, /)[0]),
      fields: [...(fields ?? '').matchAll(/`([^`]+)`/g)].map(([, field]) => field),
    }));
  const known = [...PARAMETER_TYPES.values()].map(({ id, column, fields }) => ({
    type: id,
    column: id === 'unit' ? 'uuid' : column,
    fields: fields.map((field) => (field === 'default' ? `default_${id}` : field)),
  }));
  expect(told).toEqual(known);
});

test('docs/model.md says which types can be keys', () => {
  const row = tableRows(page('model.md')).find(([name]) => name === '`is_primary`');
  const told = [...(row?.[2] ?? '').matchAll(/`([^`]+)`/g)].map(([, type]) => type);
  const known = [...PARAMETER_TYPES.values()].filter(({ keyable }) => keyable).map(({ id }) => id);
  expect(told).toEqual(known);
});
