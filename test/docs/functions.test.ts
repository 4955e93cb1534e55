/** docs/functions.md: its modules load, one after the other, its requests are answered as it says, and its test passes. */
import { createHmac } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { createdId, ok } from '../support/definitions.js';
import { upload } from '../support/files.js';
import { FunctionsFolder, reload, sharedServiceWith } from '../support/functions.js';
import { codeBlocks } from './markdown.js';

const page = readFileSync(join(import.meta.dirname, '../../docs/functions.md'), 'utf8');
const folder = new FunctionsFolder();
const service = await sharedServiceWith(folder);
const project = await service.project();
const parameters = [
  { id: 'title', kind_id: 'string' },
  { id: 'text', kind_id: 'text' },
];
await ok(project.post('/kind/unit', { id: 'note', parameters }));

const steps = codeBlocks(page).filter(({ info }) => info !== 'sh' && info !== 'ts signatures');

const isTest = (name: string) => name.endsWith('.test.ts');

test('has modules and requests', () => expect(steps.length).toBeGreaterThan(4));

test.each(steps)('$info', async ({ info, text }) => {
  const [language, , path = '', status] = info.split(' ');
  if (language === 'ts') {
    const name = info.replace('ts functions/', '');
    if (isTest(name)) return;
    folder.write(name, text);
    await reload(service);
    return void expect((await project.get('/note/function/none')).body.messages[0]?.code).toBe('function.unknown');
  }
  const told = JSON.parse(text) as unknown;
  if (info.endsWith(' part')) return void expect(await ok(project.get(path))).toMatchObject(told as object);
  if (info.includes(' GET ')) return void expect(await ok(project.get(path))).toEqual(told);
  expect((await project.post(path, told)).status).toBe(Number(status ?? 200));
});

test('the second module behaves as described', async () => {
  const create = async (title: string, text: string) =>
    (await ok(project.post('/note/unit', { title, text }))) as { id: string; title: string };
  const target = await create(' target ', '');
  expect(target.title).toBe('target');
  await create('b', 'one two');
  await create('b', 'three');
  await ok(project.post('/note/function/move', { from: 'b', to: target.id }));
  expect(await ok(project.get(`/note/unit/${target.id}/function/words`))).toBe(3);
  const again = await project.post('/note/function/move', { from: 'b', to: target.id });
  expect([again.status, again.body.messages]).toMatchObject([409, [{ code: 'note.nothing', parameter: 'from' }]]);
  const kept = await create('keep', '');
  expect((await project.delete(`/note/unit/${kept.id}`)).status).toBe(409);
});

test('the hooks of files count words, and refuse viruses', async () => {
  const { parameters: granted } = (await ok(project.get('/kind/unit/file'))) as { parameters: string[] };
  await ok(project.put('/kind/unit/file', { parameters: [...granted, { id: 'words', kind_id: 'integer' }] }));
  const id = await createdId(upload(project, 'a.txt', 'one two'));
  expect(await ok(project.get(`/file/unit/${id}`))).toMatchObject({ words: 2 });
  expect(await ok(project.put(`/file/unit/${id}`, { name: 'b.txt' }))).toMatchObject({ words: 2 });
  expect((await upload(project, 'a.txt', 'EICAR')).status).toBe(422);
});

test('the function of the page puts notes into a file', async () => {
  await ok(project.post('/kind/unit', { id: 'report' }));
  await ok(project.post('/note/unit', { title: 'in a file', text: '' }));
  const made = (await ok(project.post('/report/function/notes'))) as { id: string; url: string };
  const { text, headers } = await project.get(`/file/unit/${made.id}/content`);
  expect([text.split('\n').at(-2), headers.get('content-type')]).toEqual(['"in a file"', 'text/csv']);
  expect(await (await fetch(project.service.url + made.url)).text()).toBe(text);
  expect(await ok(project.get(`/report/function/size?file=${made.id}`))).toBe(Buffer.byteLength(text));
});

test('the schedule of the page sends what is due', async () => {
  const fields = [{ id: 'email', kind_id: 'string' }, 'text'];
  const at = { id: 'at', kind_id: 'datetime' };
  const sent = { id: 'sent', kind_id: 'boolean', default_boolean: false };
  await ok(project.post('/kind/unit', { id: 'reminder', parameters: [...fields, at, sent] }));
  const email = 'ann@example.com';
  await ok(project.post('/reminder/unit', { email, text: 'now', at: '2020-01-01T00:00:00Z' }));
  await ok(project.post('/reminder/unit', { email, text: 'later', at: '2999-01-01T00:00:00Z' }));
  await ok(project.post('/function/run', { kind_id: 'reminder', function: 'send' }));
  await vi.waitFor(async () => {
    expect(await ok(project.get('/function/run'))).toMatchObject({ count: 1, items: [{ outcome: 'done' }] });
  });
  const { items } = (await ok(project.get('/reminder/unit?order=at&include=text,sent'))) as { items: object[] };
  expect(items).toEqual([
    { text: 'now', sent: true },
    { text: 'later', sent: false },
  ]);
});

test('the endpoint of the page stores what is signed', async () => {
  vi.stubEnv('STRIPE_SECRET', 'whsec_test');
  const event = (amount: number, type = 'charge.succeeded') =>
    JSON.stringify({ type, data: { object: { id: 'ch_1', amount } } });
  const send = async (body: string, { age = 0, secret = 'whsec_test' } = {}) => {
    const t = Math.floor(Date.now() / 1000) - age;
    const v1 = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex');
    const url = `${service.service.url}/api/lib/project/${project.id}/hook/payment/stripe`;
    const headers = { 'stripe-signature': `t=${t},v1=${v1},v0=old` };
    return (await fetch(url, { method: 'POST', body, headers })).status;
  };
  expect(await send(event(500))).toBe(200);
  expect(await send(event(500))).toBe(200);
  expect(await send(event(900), { secret: 'guessed' })).toBe(401);
  expect(await send(event(900), { age: 400 })).toBe(401);
  expect(await send(event(900, 'charge.failed'))).toBe(204);
  vi.stubEnv('STRIPE_SECRET', '');
  expect(await send(event(900), { secret: '' })).toBe(500);
  vi.unstubAllEnvs();
  expect(await ok(project.get('/payment/unit?include=charge,cents'))).toEqual({
    count: 1,
    items: [{ charge: 'ch_1', cents: 500 }],
  });
});

describe('the test of the page passes with the modules of the page', async () => {
  const root = join(import.meta.dirname, '../..');
  mkdirSync(join(root, '.data'), { recursive: true });
  const own = mkdtempSync(join(root, '.data', 'docs-'));
  afterAll(() => rmSync(own, { recursive: true }));
  for (const { info, text } of steps.filter((step) => step.info.startsWith('ts functions/'))) {
    const file = join(own, info.replace('ts functions/', ''));
    writeFileSync(file, text.replace("'../src/testing.js'", "'../../src/testing.js'"));
  }
  for (const { info } of steps) if (isTest(info)) await import(join(own, info.replace('ts functions/', '')));
});
