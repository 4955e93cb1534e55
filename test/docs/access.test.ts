/** The examples of docs/access.md, run as they stand: the kinds are defined, and every request answers as it says. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { signUp } from '../support/callers.js';
import { sharedService, type TestProject } from '../support/service.js';
import { codeBlocks } from './markdown.js';

const page = readFileSync(join(import.meta.dirname, '../../docs/access.md'), 'utf8');
const examples = page
  .slice(page.indexOf('## Five examples'), page.indexOf('## What may I do'))
  .split(/^### /m)
  .slice(1)
  .map((text) => ({ title: text.slice(0, text.indexOf('\n')), blocks: codeBlocks(text) }));

const service = await sharedService();
const root = await service.project();
await root.post('/kind/unit', { id: 'person', parameters: [{ id: 'team', kind_id: 'string' }] });
await root.post('/group/unit/kind_auth_member/link/group/kind/unit/person');
const ada = await signUp(root, 'ada', { team: 'red' });
const bob = await signUp(root, 'bob', { team: 'blue' });
const callers = new Map<string, TestProject>([
  ['root', root],
  ['ada', root.as(ada.accessToken)],
  ['bob', root.as(bob.accessToken)],
  ['anyone', root.as(undefined)],
]);

const LINE = /^(\w+) +(GET|POST|PUT|DELETE) +(\S+)(?: +(\{.*\}))? +-> (\d{3})(?: +(\{.*\}))?(?: +as (\w+))?$/;

const people = new Map([
  ['@ada', ada.id],
  ['@bob', bob.id],
]);

test('there are five', () => expect(examples).toHaveLength(5));

async function play(scenario: string, named = new Map(people)): Promise<void> {
  const fill = (text: string) => text.replace(/[$@]\w+/g, (name) => named.get(name) ?? name);
  for (const line of scenario.split('\n')) {
    const [, who = '', method = '', path = '', body, status, content, name] = LINE.exec(line) ?? [];
    const caller = callers.get(who);
    if (!caller) throw new Error(`not a line of a scenario: ${line}`);
    const reply = await caller.call(method, fill(path), body === undefined ? undefined : JSON.parse(fill(body)));
    expect([line, reply.status]).toEqual([line, Number(status)]);
    if (content !== undefined) expect(reply.body.content).toMatchObject(JSON.parse(content) as object);
    if (name !== undefined) named.set(`$${name}`, reply.body.content.id as string);
  }
}

test.each(examples)('$title', async ({ blocks }) => {
  const kind = blocks.find(({ info }) => info === 'json kind');
  expect((await root.post('/kind/unit', JSON.parse(kind?.text ?? ''))).status).toBe(200);
  await play(blocks.find(({ info }) => info === 'text scenario')?.text ?? '');
});

test('the rights are what a member is told', async () => {
  const told = JSON.parse(codeBlocks(page).find(({ info }) => info === 'json rights')?.text ?? '{}') as { kinds: [] };
  const { content } = (await (callers.get('ada') as TestProject).get('/auth/rights')).body;
  expect(content).toMatchObject({ ...told, kinds: expect.arrayContaining(told.kinds) as unknown });
});

test('the explanation is the answer to an administrator', async () => {
  const note = await (callers.get('ada') as TestProject).post('/note/unit', { owner: ada.id, body: 'why?' });
  const id = note.body.content.id as string;
  const told = codeBlocks(page).find(({ info }) => info === 'json explanation')?.text ?? '';
  const { body } = await root.get(`/note/unit/${id}/access?member=${ada.id}`);
  expect(body.content).toMatchObject(JSON.parse(told.replace('$note', id).replace('@ada', ada.id)) as object);
});

test('what strangers are meant to write', async () => {
  await play(codeBlocks(page).find(({ info }) => info === 'text accepted')?.text ?? '');
});

test('the preview of access', async () => {
  const own = await root.get('/note/unit?limit=1000');
  for (const { id } of own.body.content.items ?? []) await root.delete(`/note/unit/${id as string}`);
  for (const [name, { id }] of Object.entries({ ada, bob })) {
    expect((await (callers.get(name) as TestProject).post('/note/unit', { owner: id })).status).toBe(200);
  }
  await play(codeBlocks(page).find(({ info }) => info === 'text preview')?.text ?? '');
});
