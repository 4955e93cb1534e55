/** Errors that user code does not catch: refusals are answered as by the endpoint, with their kind; others are logged with file and line. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { anonymous, asMember, defineKinds } from '../../support/callers.js';
import { createdId, ok, refusalOf } from '../../support/definitions.js';
import { FunctionsFolder, reload } from '../../support/functions.js';
import { startTestService } from '../../support/service.js';
import { loggedError } from '../../../src/http/log/logger.js';
import { ERRORS, type ErrorCode } from '../../../src/shared/errors.js';

const HEAD = "import { kind } from 'kind';";
const folder = new FunctionsFolder({
  'client.ts': `${HEAD} export default kind('client').module({ hooks: {
    after_create: async ({ unit, system }) => void (await system.units('profile').create({ title: unit['first_name'] || undefined, code: 'c' })),
  } });`,
  'order.ts': `${HEAD} export default kind('order').module({ hooks: {
    before_update: () => [1] as never,
    after_create: async ({ unit, system }) => void (await system.units('log').createAll([{ note: 'fine' }, { note: unit['text'] }])),
  } });`,
  '_help.ts': `export const fetchAll = (units: any) =>
    units('log').list(null);`,
  'job.ts': `${HEAD}
import { fetchAll } from './_help.ts';
const job = kind('job');
const runs: Record<string, (context: any) => unknown> = {
  missing: ({ system }) => system.units('profile').get('p-of-somebody'),
  required: ({ system }) => system.units('profile').create({}),
  hidden: ({ system }) => system.units('profile').create({ title: 'x', secret: 'too long' }),
  unique: async ({ system }) => {
    await system.units('profile').create({ title: 'one', code: 'same' });
    await system.units('profile').create({ title: 'two', code: 'same' });
  },
  open: ({ system }) => system.units('log').create({ note: 'longer than ten' }),
  far: ({ system }) => system.units('order').create({ text: 'longer than ten' }),
  far_as_caller: ({ units }) => units('order').create({ text: 'longer than ten' }),
  as_caller: ({ units }) => units('log').create({ note: 'longer than ten' }),
  own: ({ units }) => units('job').create({ title: 5 }),
  nowhere: ({ system }) => system.units('nowhere').list(),
  named_by_client: ({ system }) => system.units('k'.repeat(10_000)).list(),
  link: ({ system }) => system.links.create({ kind_id: 'log', id: 'x' }, { kind_id: 'job', id: 'y' }),
  group: ({ system }) => system.groups.units('nothing'),
  caught: async ({ system }) => {
    const error = await system.units('profile').create({}).catch((refused: any) => refused);
    await system.units('log').create({ note: 'goes on' });
    return [error.status, error.code];
  },
  undefined_id: async ({ system, parameters }) => {
    const { id } = parameters;
    return system.units('profile').get(id);
  },
  number_id: ({ units }) => units('log').update(5, {}),
  no_kind: ({ units }) => units(undefined).list(),
  no_unit: ({ links }) => links.list({ id: 'x' }, 'child'),
  caught_id: async ({ units, groups }) => {
    await units('log').get(undefined).catch(() => undefined);
    await units('log').list(null).catch(() => undefined);
    await groups.units('parameter', 5).catch(() => undefined);
    return (await units('log').list({ limit: 0 })).items;
  },
  no_options: ({ units }) => fetchAll(units),
  no_values: async ({ units }) => {
    await null;
    await units('log').createAll(undefined);
  },
  no_json: () => 5n,
  many_names: ({ system }) =>
    system.units('log').create(Object.fromEntries(Array.from({ length: 30 }, (_, at) => ['n'.repeat(500) + at, at]))),
  behind_values: ({ system }) => system.units('paper').create({ safe: { vname: 'x' } }),
  behind_hidden: ({ system }) => system.units('paper').create({ safe: { vname: 'topsecret-a', vhush: 'no' } }),
  behind_unknown: ({ system }) => system.units('paper').create({ safe: { vnam: 'topsecret-a' } }),
  behind_unique: ({ system }) => system.units('paper').create({ safe: { vname: 'topsecret-a', vcode: 'taken' } }),
  behind_pair: ({ system }) => system.units('paper').create({ safe: { vname: 'topsecret-a', vpair: 'taken' } }),
  behind_list: ({ system }) => system.units('paper').createAll([{}, { safe: { vname: 'x' } }]),
  behind_key: ({ system }) => system.units('paper').create({ safe: 'zz' }),
  behind_unit: ({ system }) => system.units('paper').create({ safe: '0190163d-8694-739b-aea5-966c26f8ad91' }),
  behind_protected: ({ system }) => system.units('paper').create({ entry: { kept: 'longer' } }),
  behind_open: ({ system }) => system.units('paper').create({ entry: { note: 'longer than ten' } }),
  behind_open_key: ({ system }) => system.units('paper').create({ entry: 'zz' }),
  behind_order: ({ system }) => system.units('paper').list({ order: 'safe.vnam;asc' }),
  behind_filter: ({ system }) => system.units('paper').list({ filter: 'eq(safe.vnam,x)' }),
  hook: ({ units }) =>
    units('bad').create({}),
};
export default job.module({ functions: Object.fromEntries(Object.entries(runs).map(([name, run]) => [name,
  job.function({ description: 'x', methods: ['POST'], access: 'anyone', run })])) });`,
  'bad.ts': `${HEAD}
export default kind('bad').module({ hooks: {
  before_create: ({ units }) =>
    units('log').remove(null as never),
} });`,
  'far.ts': `${HEAD}
export default kind('far').module({ remote: {
  list: ({ filterText }, { system }) => system.units('log').get(filterText as never) as never,
  get: (id, { system }) => system.units('profile').get(id) as never,
} });`,
});
interface Line {
  readonly level: number;
  readonly msg: string;
  readonly err?: { readonly message: string; readonly stack: string };
}
const lines: Line[] = [];
const log = pino(
  { level: 'info', serializers: { err: loggedError } },
  { write: (text: string) => void lines.push(JSON.parse(text) as Line) },
);
const service = await startTestService({ functionsDir: folder.path }, log);
const admin = await service.project();
const member = await asMember(admin);
await defineKinds(
  admin,
  {
    id: 'profile',
    parameters: [
      { id: 'title', kind_id: 'string', required: true },
      { id: 'code', kind_id: 'string', unique: true },
      { id: 'secret', kind_id: 'string', hidden: true, max_length: 3 },
    ],
    access: { read: 'admin', create: 'admin' },
  },
  {
    id: 'log',
    parameters: [
      { id: 'note', kind_id: 'string', max_length: 10 },
      { id: 'kept', kind_id: 'string', read_access: 'admin', max_length: 3 },
    ],
  },
  {
    id: 'vault',
    parameters: [
      { id: 'vname', kind_id: 'string', values: ['topsecret-a', 'topsecret-b'] },
      { id: 'vhush', kind_id: 'string', hidden: true, pattern: 'topsecret.*' },
      { id: 'vcode', kind_id: 'string', unique: true },
      { id: 'vpair', kind_id: 'string' },
    ],
    unique: [['vname', 'vpair']],
    access: Object.fromEntries(
      ['read', 'create', 'update', 'delete', 'link', 'function'].map((operation) => [operation, 'admin']),
    ),
  },
  {
    id: 'paper',
    parameters: [
      { id: 'safe', kind_id: 'unit', reference_kind: 'vault' },
      { id: 'entry', kind_id: 'unit', reference_kind: 'log' },
      // The place of a refusal of a query is the name of a query parameter.
      { id: 'order', kind_id: 'string' },
    ],
  },
  { id: 'job', parameters: ['title'] },
  { id: 'order', parameters: [{ id: 'text', kind_id: 'string' }] },
  { id: 'bad' },
  { id: 'far', remote: true },
  { id: 'client' },
);
await ok(admin.put('/group/unit/kind_auth_member', { kind_list: ['kind_admin', 'person', 'client'] }));
await ok(admin.post('/vault/unit', { vname: 'topsecret-a', vcode: 'taken', vpair: 'taken' }));
await reload(service);
beforeEach(() => void lines.splice(0));
const call = (name: string, as = member) => as.post(`/job/function/${name}`);
const count = async (kind: string) => ((await ok(admin.get(`/${kind}/unit?limit=0`))) as { count: number }).count;

describe('an uncaught error of an operation', () => {
  it('of a hook of a sign-up is answered with its status and code, and the kind', async () => {
    const password = 'correct horse 9';
    const signUp = (name: string, more = {}) => {
      const kind_system_user = { username: name, password, email: `${name}@example.com` };
      return anonymous(admin).post('/auth/client/signup', { username: name, password, kind_system_user, ...more });
    };
    const refused = await signUp('ann');
    expect([refused.status, refused.body.messages]).toEqual([
      400,
      [{ code: 'parameter.required', parameter: 'title', text: 'profile.title: The value must be given' }],
    ]);
    expect(await count('client')).toBe(0);
    expect((await signUp('ann', { first_name: 'Ann' })).status).toBe(200);
    expect(refusalOf(await signUp('bea', { first_name: 'Bea' }))).toEqual({
      status: 409,
      messages: ['parameter.not_unique code'],
    });
    expect(lines).toMatchObject([
      {
        level: 30,
        file: 'client.ts',
        name: 'after_create',
        of: ['profile'],
        code: 'parameter.required',
        place: 'client.ts:2',
      },
      { level: 30, file: 'client.ts', name: 'after_create', of: ['profile'], code: 'parameter.not_unique' },
    ]);
  });

  it.each<[string, number, { code: string; text: string | RegExp; parameter?: string }]>([
    ['missing', 404, { code: 'unit.unknown', text: 'profile: No such unit, or none that the caller may read' }],
    [
      'required',
      400,
      { code: 'parameter.required', parameter: 'title', text: 'profile.title: The value must be given' },
    ],
    ['hidden', 400, { code: 'parameter.too_long', text: 'profile: The value is longer than allowed' }],
    ['unique', 409, { code: 'parameter.not_unique', parameter: 'code', text: /^profile\.code: Another unit/ }],
    ['open', 400, { code: 'parameter.too_long', parameter: 'note', text: /^log\.note: at most 10 characters, got 15/ }],
    ['far', 400, { code: 'parameter.too_long', parameter: 'note', text: /^log\.note: at most 10/ }],
    ['far_as_caller', 400, { code: 'parameter.too_long', parameter: 'note', text: /^log\.note: at most 10/ }],
    ['as_caller', 400, { code: 'parameter.too_long', parameter: 'note', text: /^log\.note: at most 10/ }],
    ['own', 400, { code: 'parameter.bad_type', parameter: 'title', text: /^title: / }],
    ['nowhere', 404, { code: 'kind.unknown', text: /nowhere/ }],
    ['link', 404, { code: 'unit.unknown', text: /^(log|job): / }],
    ['named_by_client', 404, { code: 'kind.unknown', text: /^.{80,200}$/ }],
    ['group', 404, { code: 'group.unknown', text: /nothing/ }],
  ])('%s', async (name, status, { text, ...message }) => {
    const reply = await call(name);
    const [told] = reply.body.messages;
    expect([reply.status, told]).toMatchObject([status, message]);
    expect(told?.parameter).toBe(message.parameter);
    expect(told?.text).toMatch(text);
    if (typeof text === 'string') expect(told?.text).toBe(text);
    expect(reply.text).not.toMatch(/secret|somebody/);
    expect(lines.filter(({ level }) => level > 30)).toEqual([]);
  });

  it('for a kind that needs a token', async () => {
    const { status, body } = await call('as_caller', anonymous(admin));
    expect([status, body.messages]).toEqual([
      401,
      [{ code: 'token.missing', text: 'log: A bearer token is needed here' }],
    ]);
    expect(lines).toEqual([]);
  });

  it('an error of a system operation does not mention what the client may not read', async () => {
    for (const name of ['missing', 'required', 'hidden', 'unique']) {
      const { status, text } = await call(name);
      expect(status).toBeLessThan(500);
      expect(text).not.toMatch(/secret|somebody|at most 3/);
    }
  });

  it.each<[string, string | undefined, number | undefined]>([
    ['behind_values', 'safe', undefined],
    ['behind_hidden', 'safe', undefined],
    ['behind_unknown', 'safe', undefined],
    ['behind_unique', 'safe', undefined],
    ['behind_pair', 'safe', undefined],
    ['behind_list', 'safe', 1],
    ['behind_key', 'safe', undefined],
    ['behind_unit', 'safe', undefined],
    ['behind_protected', 'entry', undefined],
    ['behind_order', 'order', undefined],
    ['behind_filter', undefined, undefined],
  ])('an error of a system operation reveals nothing behind a closed reference: %s', async (name, parameter, index) => {
    const { status, text, body } = await call(name);
    expect([400, 409]).toContain(status);
    const code = body.messages[0]?.code as ErrorCode;
    const meaning = ERRORS[code].meaning.replace(/\.$/, '');
    const place = { ...(parameter !== undefined && { parameter }), ...(index !== undefined && { index }) };
    const at = parameter === undefined ? 'paper: ' : `paper.${parameter}: `;
    expect(body.messages).toEqual([{ code, text: `${at}${meaning}`, ...place }]);
    expect(text).not.toMatch(/vault|vname|vhush|vcode|vpair|topsecret|kept/);
    expect((await call(name, admin)).text).toMatch(/vault|vname|vhush|vcode|vpair|topsecret|kept/);
  });

  it('an error of a system operation has its text if the client may read everything in it', async () => {
    for (const [name, told] of [
      [
        'behind_open',
        { parameter: 'entry.note', text: expect.stringMatching(/^paper\.entry\.note: at most 10/) as string },
      ],
      [
        'behind_open_key',
        { parameter: 'entry', text: expect.stringMatching(/^paper\.entry: no unit 'zz' of 'log'/) as string },
      ],
    ] as const) {
      expect((await call(name)).body.messages).toMatchObject([told]);
    }
  });

  it('administrators get the whole text', async () => {
    const { status, body } = await call('missing', admin);
    expect([status, body.messages]).toEqual([
      404,
      [{ code: 'unit.unknown', text: "No unit 'p-of-somebody' of 'profile'" }],
    ]);
  });

  it('of one of several units has its index', async () => {
    const { status, body } = await admin.post('/order/unit', [{ text: 'a' }, { text: 'longer than ten' }]);
    expect([status, body.messages]).toMatchObject([400, [{ code: 'parameter.too_long', index: 1 }]]);
    expect([await count('order'), await count('log')]).toEqual([0, 0]);
  });

  it('of a source is answered like that of a function', async () => {
    expect(refusalOf(await member.get('/far/unit/nothing'))).toEqual({ status: 404, messages: ['unit.unknown'] });
  });

  it('has few and short names in its log line', async () => {
    expect((await call('many_names')).status).toBe(400);
    expect(lines).toMatchObject([{ code: 'parameter.unknown', count: 1, parameters: Array(10).fill('n'.repeat(80)) }]);
  });

  it('that is caught lets the call continue', async () => {
    expect(await ok(call('caught'))).toEqual([400, 'parameter.required']);
  });
});

describe('an error is logged with the file and line of the author, wherever it was thrown', () => {
  const source = (file: string) => readFileSync(join(folder.path, file), 'utf8').split('\n');
  const lineOf = (file: string, text: string) => source(file).findIndex((each) => each.includes(text)) + 1;

  it.each([
    ['undefined_id', 'job.ts', 'get(id)', "units('profile').get(id, options): id must be a string, got undefined"],
    ['number_id', 'job.ts', 'update(5', 'id must be a string, got number'],
    ['no_kind', 'job.ts', 'units(undefined)', 'units(kind): kind must be a string, got undefined'],
    ['no_unit', 'job.ts', "links.list({ id: 'x' }", 'unit must have a kind_id and an id'],
    ['no_options', '_help.ts', "units('log').list", "units('log').list(options): options must be an object, got null"],
    ['no_values', 'job.ts', 'createAll(undefined)', 'Cannot read properties of undefined'],
    ['hook', 'job.ts', "units('bad').create", 'before_create of bad.ts failed at bad.ts:'],
  ])('%s', async (name, file, text, words) => {
    const parameters = name === 'undefined_id' ? {} : undefined;
    expect(refusalOf(await member.post(`/job/function/${name}`, parameters))).toEqual({
      status: 500,
      messages: ['server.error'],
    });
    const [{ msg = '', err } = {}, ...others] = lines;
    expect([msg, others]).toEqual(['unexpected error', []]);
    expect(err?.message).toContain(`the function '${name}' of job.ts failed at ${file}:${lineOf(file, text)}`);
    expect(err?.message).toContain(words);
    expect(err?.stack).toContain(`${file}:${lineOf(file, text)}:`);
  });

  it('without a known line, with that of the declaration', async () => {
    expect((await call('no_json')).status).toBe(500);
    const at = lineOf('job.ts', 'job.function(');
    expect(lines[0]?.err?.message).toContain(`'no_json' of job.ts failed, declared at job.ts:${at}: `);
  });

  it('of what a hook returns', async () => {
    const id = await createdId(admin.post('/order/unit', {}));
    expect((await member.put(`/order/unit/${id}`, { text: 'x' })).status).toBe(500);
    expect(lines.at(-1)?.err?.message).toBe(
      'a before_ hook of order.ts must return an object of values, or nothing; got array',
    );
  });

  it('of a hook', async () => {
    expect((await member.post('/bad/unit', {})).status).toBe(500);
    const at = lineOf('bad.ts', 'remove(null');
    expect(lines[0]?.err?.message).toContain(`before_create of bad.ts failed at bad.ts:${at}`);
  });

  it('of a source', async () => {
    expect((await member.get('/far/unit')).status).toBe(503);
    const cause = expect.stringMatching(`got null at far.ts:${lineOf('far.ts', 'filterText')}`) as string;
    expect(lines).toMatchObject([{ level: 40, code: 'kind.remote_unavailable', cause }]);
  });

  it('argument errors can be caught', async () => {
    expect(await ok(call('caught_id'))).toEqual([]);
  });
});
