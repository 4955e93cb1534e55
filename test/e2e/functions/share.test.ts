/** User code uses at most its share of the connections, whatever calls it. */
import { afterEach, describe, expect, it } from 'vitest';
import { anonymous, defineKinds, signUp } from '../../support/callers.js';
import { ok } from '../../support/definitions.js';
import { FunctionsFolder, reload } from '../../support/functions.js';
import { Gate, gateOf } from '../../support/gate.js';
import { startTestService, type TestProject } from '../../support/service.js';

const gate = new Gate('gate');

const HEAD = `import { kind } from 'kind';
${gateOf('gate')}
const hooks = {
  before_create: ({ project }) => gate.pass(project.id),
  before_update: ({ project }) => gate.pass(project.id),
  before_delete: ({ project }) => gate.pass(project.id),
};`;
const folder = new FunctionsFolder({
  'page.ts': `${HEAD} export default kind('page').module({ hooks });`,
  'person.ts': `${HEAD} export default kind('person').module({ hooks });`,
  'far.ts': `${HEAD} export default kind('far').module({
    hooks: { before_create: async ({ project, units }) => {
      await units('book').list({ limit: 1 });
      await gate.pass(project.id);
    } },
    remote: { list: () => ({ count: 0, items: [] }), get: () => ({ id: 'x' }), create: () => ({ id: 'x' }) },
  });`,
  'book.ts': `${HEAD} const book = kind('book'); export default book.module({ functions: {
    reads: book.function({ description: 'Reads, and waits', run: async ({ project, units }) => {
      await units('book').list({ limit: 1 });
      await gate.pass(project.id);
    } }),
  } });`,
});
// Three tenths are three.
const service = await startTestService({ functionsDir: folder.path, databasePool: 10 });
const busy = await service.project();
const other = await service.project();
for (const each of [busy, other]) {
  await defineKinds(
    each,
    { id: 'book', parameters: [{ id: 'title', kind_id: 'string' }] },
    {
      id: 'page',
      parameters: ['title', { id: 'book', kind_id: 'unit', reference_kind: 'book', on_delete: 'cascade' }],
    },
    { id: 'loan', parameters: ['title', { id: 'page', kind_id: 'unit', reference_kind: 'page' }] },
    { id: 'far', remote: true, parameters: ['title'] },
    { id: 'person' },
  );
  await ok(each.put('/group/unit/kind_auth_member', { kind_list: ['kind_admin', 'person'] }));
}
await reload(service);
const made = async (kind: string, body: object, at = busy) =>
  (await ok(at.post(`/${kind}/unit`, body))) as { id: string };
const bookWithPage = async (at = busy) => {
  const book = await made('book', {}, at);
  await made('page', { book: book.id }, at);
  return book.id;
};

/** More than have a place, each with what it needs; and the same for the other project. */
const CALLS = [1, 2, 3, 4, 5];
const ways: Record<string, () => Promise<(at: TestProject, name: string) => Promise<unknown>>> = {
  'a unit': async () => (at) => made('page', {}, at),
  'a unit inside another': async () => (at) => made('loan', { page: {} }, at),
  'units that a deletion reaches': async () => {
    const books = new Map<string, string>();
    for (const name of CALLS) books.set(`${name}`, await bookWithPage());
    books.set('other', await bookWithPage(other));
    return (at, name) => ok(at.delete(`/book/unit/${books.get(name)}`));
  },
  'a sign-up': async () => (at, name) => signUp(anonymous(at), `member${name}`),
  'a function that has read': async () => (at) => ok(at.post('/book/function/reads')),
  'a remote unit': async () => (at) => made('far', {}, at),
};

describe('user code of one project gets three tenths of the connections', () => {
  afterEach(() => gate.open());

  it.each(Object.keys(ways))('by %s', async (name) => {
    const call = await ways[name]?.();
    if (!call) throw new Error(name);
    gate.close((project) => project === busy.id);
    const held = Promise.all(CALLS.map((each) => call(busy, `${each}`)));
    await gate.reached(3);
    // Others are answered meanwhile.
    await call(other, 'other');
    for (let round = 0; round < 5; round++) await ok(other.get('/book/unit'));
    expect(gate.arrived.filter((id) => id === busy.id)).toHaveLength(3);
    gate.open();
    await held;
    expect(gate.arrived.filter((id) => id === busy.id)).toHaveLength(CALLS.length);
  });
});
