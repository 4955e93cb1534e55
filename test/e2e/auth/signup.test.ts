/** All faults of a sign-up are reported together: names, password and the member itself; and nothing is stored. */
import { expect, it } from 'vitest';
import { withMembers } from '../../support/callers.js';
import { ok, query, refusalOf } from '../../support/definitions.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const admin = await withMembers(await service.project());
await admin.post('/integer/unit', { id: 'age', max_value: 150 });
await admin.post('/unit/unit', { id: 'friend', reference_kind: 'person' });
await admin.post('/string/unit', { id: 'badge', unique: true });
await admin.post('/string/unit', { id: 'secret_badge', unique: true, read_access: 'admin' });
await admin.put('/kind/unit/person', { parameters: ['age', 'friend', 'badge', 'secret_badge'] });
const anyone = admin.as(undefined);

const name = { username: 'ann', password: 'password1' };
const user = { ...name, email: 'ann@example.com' };
const NOBODY = '0198c0de-0000-7000-8000-000000000001';

it.each([
  {
    body: { kind_system_user: { ...name, email: 7, more: 1 }, age: 200, nme: 'x' },
    messages: [
      'parameter.required username',
      'parameter.required password',
      'parameter.bad_type kind_system_user.email',
      'parameter.unknown kind_system_user.more',
      'parameter.unknown nme',
      'parameter.too_large age',
    ],
  },
  {
    body: { ...name, password: 'ann', kind_system_user: { ...user, password: 'ann', email: 'ann' }, friend: NOBODY },
    messages: [
      'parameter.too_short password',
      'parameter.bad_value password',
      'parameter.bad_value kind_system_user.email',
      'parameter.bad_reference friend',
    ],
  },
  {
    body: { ...name, kind_system_user: { ...user, username: 'bob' }, age: 'old' },
    messages: ['signup.mismatch kind_system_user.username', 'parameter.bad_type age'],
  },
  {
    body: { ...name, username: 'x@y.z', age: 1.5 },
    messages: ['parameter.required kind_system_user', 'parameter.bad_value age'],
  },
  {
    body: { ...name, password: '', kind_system_user: { ...user, password: '' } },
    messages: ['parameter.too_short password'],
  },
])('$messages', async ({ body, messages }) => {
  expect(refusalOf(await anyone.post('/auth/person/signup', body))).toEqual({ status: 400, messages });
  expect(await query(admin, 'SELECT 1 FROM $schema."person"')).toEqual([]);
});

it('names the fields of kind_system_user in the order of the documentation', async () => {
  const { body } = await anyone.post('/auth/person/signup', { ...name, kind_system_user: { ...user, more: 1 } });
  expect(body.messages.map(({ text }) => text)).toEqual([
    'kind_system_user.more: there is no such parameter here; there are username, password, email',
  ]);
});

it('a taken name is reported', async () => {
  expect((await anyone.post('/auth/person/signup', { ...name, kind_system_user: user, age: 3 })).status).toBe(200);
  const again = await anyone.post('/auth/person/signup', { ...name, kind_system_user: user, age: 3 });
  expect(again.status).toBe(409);
});

it('a taken name and a taken address are reported in one answer, each at its place', async () => {
  const other = { username: 'ANN', password: 'password1' };
  const both = { ...other, kind_system_user: { ...other, email: 'Ann@Example.com' } };
  const messages = ['parameter.not_unique kind_system_user.email', 'parameter.not_unique username'];
  const refused = refusalOf(await anyone.post('/auth/person/signup', both));
  expect({ ...refused, messages: [...refused.messages].sort() }).toEqual({ status: 409, messages });
  const member = { username: 'ANN', email: 'Ann@Example.com' };
  const { status, messages: told } = refusalOf(await admin.post('/person/unit', member));
  expect({ status, told: [...told].sort() }).toEqual({
    status: 409,
    told: ['parameter.not_unique email', 'parameter.not_unique username'],
  });
  expect(await query(admin, 'SELECT 1 FROM $schema."person"')).toHaveLength(1);
});

it('and with them other taken unique values, as far as the caller may know them', async () => {
  const badges = { badge: 'b', secret_badge: 's' };
  await ok(admin.post('/person/unit', { username: 'eve', email: 'eve@example.com', ...badges }));
  const body = { ...name, ...badges, kind_system_user: user };
  const refused = refusalOf(await anyone.post('/auth/person/signup', body));
  expect({ ...refused, messages: [...refused.messages].sort() }).toEqual({
    status: 409,
    messages: [
      'parameter.not_unique badge',
      'parameter.not_unique kind_system_user.email',
      'parameter.not_unique username',
    ],
  });
  const member = await admin.post('/person/unit', [{ username: 'ann', email: 'new@example.com', ...badges }]);
  expect([...refusalOf(member).messages].sort()).toEqual([
    'parameter.not_unique badge',
    'parameter.not_unique secret_badge',
    'parameter.not_unique username',
  ]);
  expect(await query(admin, 'SELECT 1 FROM $schema."person"')).toHaveLength(2);
});

it('a taken value of a parameter that the caller may not read is not named', async () => {
  const fresh = { username: 'zoe', password: 'password1' };
  const body = { ...fresh, secret_badge: 's', kind_system_user: { ...fresh, email: 'zoe@example.com' } };
  const reply = await anyone.post('/auth/person/signup', body);
  expect(refusalOf(reply)).toEqual({ status: 409, messages: ['unit.not_unique'] });
  expect(reply.text).not.toContain('secret_badge');
});

it('a fault of an address is reported at its place', async () => {
  for (const [email, code] of [
    ['ann', 'bad_value'],
    [7, 'bad_type'],
    [undefined, 'required'],
    ['a\0@example.com', 'bad_value'],
  ] as const) {
    const reply = await anyone.post('/auth/person/signup', { ...name, kind_system_user: { ...user, email } });
    expect(refusalOf(reply)).toEqual({ status: 400, messages: [`parameter.${code} kind_system_user.email`] });
    expect(reply.body.messages[0]?.text).toMatch(/^kind_system_user\.email: /);
  }
});
