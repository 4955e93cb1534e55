/** Hooks of links run for every way a link is created or deleted; the model of these tests keeps a trace. */
import { beforeEach, describe, expect, it } from 'vitest';
import { asMember, defineKinds } from '../../support/callers.js';
import { ok, refusalOf } from '../../support/definitions.js';
import { FunctionsFolder, reload } from '../../support/functions.js';
import { lowerLimit } from '../../support/limits.js';
import { startTestService } from '../../support/service.js';

const HEAD = `import { kind, FunctionError, type Context, type LinkEvent } from 'kind';
const note = (what: string) => async ({ system, member, parent, child, link_id, values }: Context & LinkEvent) =>
  void (await system.units('trace').create({ what:
    [what, parent.id, link_id, child.kind_id + '/' + child.id, JSON.stringify(values), member?.kind_id ?? '-'].join(' ') }));`;

const folder = new FunctionsFolder({
  'city.ts': `${HEAD}
    const city = kind('city');
    export default city.module({
      hooks: {
        async before_link(c) {
          await note('before_link')(c);
          if (c.child.id === 'no') throw new FunctionError(409, 'city.closed', 'No links to that one');
          if (c.values['km'] === 13) return { km: 14, note: 'not 13' };
          if (c.values['km'] === 99) return { km: -1 };
          if (c.child.id === 'many') for (const id of ['a', 'b']) await c.links.create(c.parent, { kind_id: 'city', id }, 'plain');
          return c.link_id === 'road' && c.values['km'] === undefined ? { km: 7 } : undefined;
        },
        after_link: note('after_link'),
        async before_unlink(c) {
          await note('before_unlink')(c);
          if (c.child.id === 'kept') throw new FunctionError(409, 'city.kept', 'That link is kept');
          if (c.child.id === 'fails') throw new Error('very secret');
          // Takes another link along.
          if (c.child.id === 'first') await c.system.links.remove(c.parent, { kind_id: 'city', id: 'second' }, 'plain');
        },
        after_unlink: note('after_unlink'),
      },
      functions: {
        tie: city.function({ description: 'Links', methods: ['POST'], run: async ({ links }) => {
          const [a, b] = ['a', 'b'].map((id) => ({ kind_id: 'city', id }));
          if (!a || !b) return;
          await links.create(a, b, 'road', { km: 1 });
          await links.create(a, b, 'road', { km: 1 });
          await links.update(a, b, 'road', { km: 2 });
          await links.remove(a, b, 'road');
        } }),
      },
    });`,
  'slow.ts': `${HEAD} export default kind('slow').module({ hooks: { before_link: () => new Promise(() => undefined) } });`,
  'loop.ts': `${HEAD} export default kind('loop').module({ hooks: {
    before_link: ({ links, parent, child }) => links.create(parent, child, 'plain') } });`,
  'hub.ts': `${HEAD} export default kind('hub').module({ hooks: { before_unlink: () => undefined } });`,
  'counted.ts': `${HEAD} export default kind('counted').module({ hooks: {
    after_link: async ({ units, parent }) => {
      const { count } = await units('counted').get(parent.id);
      await units('counted').update(parent.id, { count: Number(count) + 1 });
    },
    after_unlink: async ({ units, parent }) => {
      const found = await units('counted').find(parent.id);
      if (found) await units('counted').update(parent.id, { count: Number(found.count) - 1 });
    } } });`,
});
const service = await startTestService({ functionsDir: folder.path, functionTimeout: 2000 });
const root = await service.project();
const ann = await asMember(root);
const code = { id: 'code', kind_id: 'string', is_primary: true };
await defineKinds(
  root,
  { id: 'trace', parameters: [{ id: 'what', kind_id: 'string' }] },
  { id: 'city', parameters: [code, { id: 'state', kind_id: 'string' }] },
  { id: 'street', parameters: ['code', { id: 'city', kind_id: 'unit', reference_kind: 'city', on_delete: 'cascade' }] },
  ...['broken', 'slow', 'loop', 'hub'].map((id) => ({ id, parameters: ['code'] })),
  { id: 'counted', parameters: ['code', { id: 'count', kind_id: 'integer', default_integer: 0 }] },
);
await ok(
  root.post('/link/unit', {
    id: 'road',
    parameters: [
      { id: 'km', kind_id: 'integer', min_value: 0, required: true },
      { id: 'note', kind_id: 'string', default_string: 'new' },
    ],
  }),
);
await ok(root.post('/link/unit', { id: 'plain' }));
await reload(service);

const path = (type: string, from: string, to: string) => {
  const [parent = '', child = ''] = [from, to].map((each) =>
    (each.includes('/') ? each : `city/${each}`).replace('/', '/unit/'),
  );
  return `/${parent}/link/${type}/${child}`;
};
async function traces(): Promise<string[]> {
  const { items } = (await ok(root.get('/trace/unit?include=[id,what]&limit=1000'))) as {
    items: { id: string; what: string }[];
  };
  for (const { id } of items) await ok(root.delete(`/trace/unit/${id}`));
  return items.map(({ what }) => what.replace('kind_admin', 'admin'));
}
const cities = (...codes: string[]) =>
  ok(
    root.post(
      '/city/unit',
      codes.map((each) => ({ code: each })),
    ),
  );

describe('hooks of links run', () => {
  beforeEach(async () => {
    const { items } = (await ok(root.get('/city/unit?limit=1000'))) as { items: { id: string }[] };
    for (const { id } of items) expect([200, 409, 500]).toContain((await root.delete(`/city/unit/${id}`)).status);
    await traces();
  });

  it('for a link that is created and deleted, not for one that is there or changed', async () => {
    await cities('a', 'b');
    const link = path('road', 'a', 'b');
    expect(await ok(ann.post(link, { km: 3 }))).toMatchObject({ km: 3, note: 'new' });
    await ok(ann.post(link, { km: 3 }));
    await ok(ann.post(link));
    expect(refusalOf(await ann.post(link, { km: 4 }))).toMatchObject({ status: 409, messages: ['link.differs'] });
    await ok(ann.put(link, { km: 5 }));
    await ok(ann.delete(link));
    expect((await ann.delete(link)).status).toBe(404);
    expect(await traces()).toEqual([
      'before_link a road city/b {"km":3} person',
      'after_link a road city/b {"km":3,"note":"new"} person',
      'before_unlink a road city/b {"km":5,"note":"new"} person',
      'after_unlink a road city/b {"km":5,"note":"new"} person',
    ]);
  });

  it('and may change the values of a new link, also required ones, or refuse it', async () => {
    await cities('a', 'b', 'c', 'd', 'no');
    expect(await ok(ann.post(path('road', 'a', 'b')))).toMatchObject({ km: 7, note: 'new' });
    expect(await ok(ann.post(path('road', 'a', 'c'), { km: 13 }))).toMatchObject({ km: 14, note: 'not 13' });
    expect(refusalOf(await ann.post(path('road', 'a', 'd'), { km: 99 }))).toEqual({
      status: 400,
      messages: ['parameter.too_small km'],
    });
    expect(refusalOf(await ann.post(path('plain', 'a', 'no')))).toEqual({ status: 409, messages: ['city.closed'] });
    expect(refusalOf(await ann.post(path('road', 'a', 'no'), { km: -1 }))).toMatchObject({ status: 400 });
    expect(await ok(ann.get('/city/unit/a/link/child?count=exact'))).toMatchObject({ count: 2 });
    expect((await ann.post(path('plain', 'a', 'nowhere'))).status).toBe(404);
  });

  it('of functions, and of other hooks', async () => {
    await cities('a', 'b', 'many');
    await ok(root.post('/city/function/tie'));
    expect((await traces()).map((what) => what.split(' ')[0])).toEqual([
      'before_link',
      'after_link',
      'before_unlink',
      'after_unlink',
    ]);
    await ok(ann.post(path('plain', 'a', 'many')));
    expect(await traces()).toEqual([
      'before_link a plain city/many {} person',
      ...['a', 'b'].flatMap((id) =>
        ['before_link', 'after_link'].map((hook) => `${hook} a plain city/${id} {} person`),
      ),
      'after_link a plain city/many {} person',
    ]);
  });

  it('for links that go with a unit, as parent or child, and by a cascade', async () => {
    await cities('a', 'b', 'c');
    await ok(root.post('/street/unit', [{ code: 's', city: 'b' }, { code: 't' }]));
    for (const to of ['a', 'b', 'street/s', 'street/t']) await ok(root.post(path('plain', 'a', to)));
    for (const from of ['street/s', 'b']) await ok(root.post(path('plain', from, 'a')));
    await traces();
    await ok(ann.delete('/street/unit/t'));
    expect(await traces()).toEqual([
      'before_unlink a plain street/t {} person',
      'after_unlink a plain street/t {} person',
    ]);
    await ok(root.delete('/city/unit/b'));
    expect(await traces()).toEqual(
      [['a plain street/s {} admin'], ['a plain city/b {} admin', 'b plain city/a {} admin']].flatMap((links) =>
        ['before_unlink', 'after_unlink'].flatMap((hook) => links.map((link) => `${hook} ${link}`)),
      ),
    );
    await ok(root.delete('/city/unit/a'));
    expect(await traces()).toEqual(['before_unlink a plain city/a {} admin', 'after_unlink a plain city/a {} admin']);
  });

  it('and keep the unit if they refuse', async () => {
    await cities('hub', 'kept', 'fails', 'first', 'second');
    for (const to of ['kept', 'fails', 'first', 'second']) await ok(root.post(path('plain', 'hub', to)));
    expect(refusalOf(await root.delete('/city/unit/kept'))).toEqual({ status: 409, messages: ['city.kept'] });
    expect(refusalOf(await root.delete(path('plain', 'hub', 'kept')))).toEqual({
      status: 409,
      messages: ['city.kept'],
    });
    const failed = await root.delete('/city/unit/fails');
    expect(refusalOf(failed)).toMatchObject({ status: 500 });
    expect(failed.text).not.toContain('very secret');
    expect(await ok(root.get('/city/unit/hub/link/child'))).toMatchObject({ count: 4 });
    await traces();
    await ok(root.delete('/city/unit/first'));
    expect(await traces()).toEqual([
      'before_unlink hub plain city/first {} admin',
      'before_unlink hub plain city/second {} admin',
      'after_unlink hub plain city/second {} admin',
      'after_unlink hub plain city/first {} admin',
    ]);
    expect(await ok(root.get('/city/unit/hub/link/child'))).toMatchObject({ count: 2 });
    // A hook that fails rolls back all.
    expect(refusalOf(await root.delete('/city/unit/hub'))).toMatchObject({ status: expect.any(Number) });
    expect(await ok(root.get('/city/unit/hub/link/child'))).toMatchObject({ count: 2 });
  });

  it('for many links at once, and those that `replace` deletes', async () => {
    await cities('a', 'b', 'c', 'd', 'no');
    const at = (type: string) => `/city/unit/a/link/${type}/child`;
    const items = (...ids: string[]) => ids.map((id) => ({ kind_id: 'city', id }));
    await ok(ann.post(at('plain'), { items: items('b', 'c') }));
    expect(await traces()).toEqual([
      ...['b', 'c'].map((id) => `before_link a plain city/${id} {} person`),
      ...['b', 'c'].map((id) => `after_link a plain city/${id} {} person`),
    ]);
    await ok(ann.post(at('plain'), { items: items('c', 'd'), replace: true }));
    expect(await traces()).toEqual([
      'before_link a plain city/d {} person',
      'before_unlink a plain city/b {} person',
      'after_link a plain city/d {} person',
      'after_unlink a plain city/b {} person',
    ]);
    const refused = await ann.post(at('plain'), { items: items('c', 'no') });
    expect(refusalOf(refused)).toMatchObject({ status: 409, messages: ['city.closed'] });
    expect(refused.body.messages[0]).toMatchObject({ index: 1 });
    expect(
      await ok(ann.post(at('road'), { items: [...items('b'), { kind_id: 'city', id: 'c', km: 13 }] })),
    ).toMatchObject({
      items: [{ km: 7 }, { km: 14, note: 'not 13' }],
    });
    await traces();
    await ok(ann.post('/street/unit', { code: 'u' }));
    await ok(ann.post('/street/unit/u/link/plain/parent', { items: items('a', 'b') }));
    await ok(ann.post('/street/unit/u/link/plain/parent', { items: [], replace: true }));
    expect((await traces()).map((what) => what.split(' ').slice(0, 2).join(' '))).toEqual(
      ['before_link', 'after_link', 'before_unlink', 'after_unlink'].flatMap((hook) => [`${hook} a`, `${hook} b`]),
    );
  });
});

describe('hooks of links', () => {
  it('have the limits of other hooks', async () => {
    await ok(root.post('/slow/unit', { code: 'x' }));
    await ok(root.post('/loop/unit', { code: 'x' }));
    expect(refusalOf(await root.post(path('plain', 'slow/x', 'loop/x')))).toEqual({
      status: 504,
      messages: ['function.timeout'],
    });
    expect(refusalOf(await root.post(path('plain', 'loop/x', 'loop/x')))).toMatchObject({ status: 500 });
    expect(await ok(root.get('/loop/unit/x/link/child'))).toMatchObject({ count: 0 });
  });

  it('that cannot run refuse the link, and the deletion of its units', async () => {
    await ok(root.post('/broken/unit', { code: 'x' }));
    await ok(
      root.post(
        '/street/unit',
        ['far', 'free'].map((each) => ({ code: each })),
      ),
    );
    await ok(root.post(path('plain', 'broken/x', 'street/far')));
    folder.write('broken.ts', 'export default');
    await reload(service);
    const broken = { status: 503, messages: ['function.broken'] };
    expect(refusalOf(await root.post(path('plain', 'broken/x', 'street/free')))).toEqual(broken);
    expect(refusalOf(await root.post(path('plain', 'broken/y', 'street/free')))).toMatchObject({ status: 404 });
    expect(refusalOf(await root.delete(path('plain', 'broken/x', 'street/far')))).toEqual(broken);
    expect(refusalOf(await root.delete('/street/unit/far'))).toEqual(broken);
    expect((await root.delete('/street/unit/free')).status).toBe(200);
    folder.remove('broken.ts');
    await reload(service);
    expect((await root.delete('/street/unit/far')).status).toBe(200);
  });

  it('run for so many links of a deletion, and not one more', async () => {
    await ok(root.post('/hub/unit', { code: 'h' }));
    lowerLimit('hookedLinks', 20);
    const codes = Array.from({ length: 21 }, (_, at) => `m${at}`);
    await ok(
      root.post(
        '/street/unit',
        codes.map((code) => ({ code })),
      ),
    );
    const items = codes.map((id) => ({ kind_id: 'street', id }));
    await ok(root.post('/hub/unit/h/link/plain/child', { items }));
    const refused = await root.delete('/hub/unit/h');
    expect(refusalOf(refused)).toEqual({ status: 409, messages: ['unit.reaches_too_many'] });
    expect(refused.body.messages[0]?.text).toMatch(/^More than 20 links with hooks/);
    const replaced = await root.post('/hub/unit/h/link/plain/child', { items: [], replace: true });
    expect(refusalOf(replaced)).toEqual({ status: 409, messages: ['link.too_many replace'] });
    expect(await ok(root.get('/hub/unit/h/link/child?limit=0'))).toMatchObject({ count: 21 });
  });

  it('do not run when a link type or a kind is deleted', async () => {
    await cities('p', 'q');
    await ok(root.post('/link/unit', { id: 'gone' }));
    await defineKinds(root, { id: 'gone', parameters: ['code'] });
    await ok(root.post('/gone/unit', { code: 'x' }));
    await ok(root.post(path('gone', 'p', 'q')));
    await ok(root.post(path('plain', 'p', 'gone/x')));
    await traces();
    await ok(root.delete('/link/unit/gone?cascade=true'));
    await ok(root.delete('/kind/unit/gone?cascade=true'));
    expect(await traces()).toEqual([]);
  });

  it('lose no update when links are created and deleted at once', async () => {
    await ok(root.post('/counted/unit', { code: 'n' }));
    const codes = Array.from({ length: 12 }, (_, at) => `t${at}`);
    await ok(
      root.post(
        '/street/unit',
        codes.map((each) => ({ code: each })),
      ),
    );
    const replies = await Promise.all(codes.map((each) => root.post(path('plain', 'counted/n', `street/${each}`))));
    expect(replies.map(({ status }) => status)).toEqual(codes.map(() => 200));
    expect(await ok(root.get('/counted/unit/n'))).toMatchObject({ count: 12 });
    const deleted = await Promise.all(codes.slice(0, 8).map((each) => root.delete(`/street/unit/${each}`)));
    expect(deleted.map(({ status }) => status)).toEqual(codes.slice(0, 8).map(() => 200));
    expect(await ok(root.get('/counted/unit/n'))).toMatchObject({ count: 4 });
    const both = await Promise.all(
      codes
        .slice(8)
        .flatMap((each) => [
          root.delete(`/street/unit/${each}`),
          root.post(path('link', 'counted/n', `street/${each}`)),
        ]),
    );
    for (const { status } of both) expect([200, 404]).toContain(status);
    expect(await ok(root.get('/counted/unit/n'))).toMatchObject({ count: 0 });
  });
});
