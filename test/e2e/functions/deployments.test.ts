/** A request uses the modules with which it began, whatever is loaded meanwhile. */
import { expect, it } from 'vitest';
import { anonymous, defineKinds, signUp } from '../../support/callers.js';
import { ok, refusalOf } from '../../support/definitions.js';
import { FunctionsFolder, reload, sharedServiceWith } from '../../support/functions.js';
import { Gate, gateOf } from '../../support/gate.js';

const gate = new Gate('gate');
const HEAD = "import { kind, FunctionError } from 'kind';";
/** Modules that leave their version in what they make. */
const modules = (version: string) => ({
  'note.ts': `${HEAD} export default kind('note').module({ hooks: {
    before_create: ({ values }) => ({ title: values['title'] + ' ${version}' }) } });`,
  'far.ts': `${HEAD} export default kind('far').module({ remote: {
    list: () => ({ count: 0, items: [] }), get: (id) => ({ id, title: '${version}' }) } });`,
  'person.ts': `${HEAD}${gateOf('gate')}
    export default kind('person').module({ hooks: {
      before_create: async ({ system }) => {
        await gate.pass();
        await system.units('note').create({ title: 'before' });
      },
      after_create: async ({ system }) => { await system.units('note').create({ title: 'after ${version}' }); },
    } });`,
  'job.ts': `${HEAD}${gateOf('gate')}
    const job = kind('job');
    const work = async ({ units }) => {
      await gate.pass();
      const { title } = await units('far').get('x');
      return (await units('note').create({ title })).title;
    };
    export default job.module({
      hooks: { before_create: async (context) => ({ title: await work(context) + ' ${version}' }) },
      functions: { work: job.function({ description: 'x', run: async (context) => await work(context) + ' ${version}' }) },
    });`,
});
const folder = new FunctionsFolder();
const load = async (version: string) => {
  for (const [name, text] of Object.entries(modules(version))) folder.write(name, text);
  await reload(service);
};
const service = await sharedServiceWith(folder);
const project = await service.project();
await defineKinds(
  project,
  { id: 'note', parameters: [{ id: 'title', kind_id: 'string' }] },
  { id: 'job', parameters: ['title'] },
  { id: 'far', remote: true, parameters: ['title'] },
  { id: 'person' },
);
await ok(project.put('/group/unit/kind_auth_member', { kind_list: ['kind_admin', 'person'] }));

it.each<[string, () => Promise<unknown>]>([
  ['a function', () => ok(project.post('/job/function/work'))],
  ['the hooks of a write', async () => ((await ok(project.post('/job/unit', {}))) as { title: string }).title],
])('%s, with the sources and hooks that it reaches', async (_, work) => {
  await load('one');
  gate.close();
  const under = work();
  await gate.reached(1);
  await load('two');
  gate.open();
  expect(await under).toBe('one one one');
  expect(await work()).toBe('two two two');
});

it('a sign-up', async () => {
  await load('one');
  gate.close();
  const under = signUp(anonymous(project), 'ann');
  await gate.reached(1);
  await load('two');
  gate.open();
  await under;
  const { items } = (await ok(project.get('/note/unit?order=title;asc&include=title'))) as {
    items: { title: string }[];
  };
  expect(items.map(({ title }) => title)).toEqual(expect.arrayContaining(['after one one', 'before one']));
});

it('a kind with a module is renamed once there is a module of the new name', async () => {
  await load('one');
  const refused = await project.put('/kind/unit/job', { rename_to: 'task' });
  expect(refusalOf(refused)).toEqual({ status: 409, messages: ['model.module rename_to'] });
  folder.write('task.ts', modules('two')['job.ts'].replace("kind('job')", "kind('task')"));
  await load('one');
  await ok(project.put('/kind/unit/job', { rename_to: 'task' }));
  gate.open();
  expect(await ok(project.post('/task/function/work'))).toBe('one one two');
});
