/** Hooks of files look at contents before the transaction of the write, and may refuse them. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { CONFIG } from '../../../src/config/config.js';
import { Database } from '../../../src/database/database.js';
import { Objects } from '../../../src/file/objects.js';
import { LIMITS } from '../../../src/shared/limits.js';
import { asMember, defineKinds } from '../../support/callers.js';
import { createdId, ok, refusalOf } from '../../support/definitions.js';
import { FORM_TYPE, formOf, stored, upload } from '../../support/files.js';
import { FunctionsFolder, reload } from '../../support/functions.js';
import { Gate, gateOf } from '../../support/gate.js';
import { lowerLimit } from '../../support/limits.js';
import { startTestService, type Reply, type TestProject } from '../../support/service.js';
import { PNG } from '../../unit/file/images.js';

/** What a hook does is the value of `asked`. */
const MODULE = `${gateOf('contentGate')}
import { FunctionError, kind } from 'kind';
import { text } from 'node:stream/consumers';
export const seen = (globalThis.contentHooks ??= []);

async function look({ values, unit, content, units, signal }) {
  const { asked = 'text', ...given } = values;
  seen.push({ given, unit: unit?.name, has: content !== undefined });
  if (!content) return;
  switch (asked) {
    case 'text': return { alt: (await text(content)).slice(0, 20) };
    case 'nothing': return;
    case 'half': for await (const chunk of content) return { alt: String(chunk.length > 0) }; return;
    case 'throw': for await (const chunk of content) throw new Error('in the middle'); return;
    case 'refuse': throw new FunctionError(422, 'file.virus', 'It has a virus', 'name');
    case 'never': return new Promise(() => {});
    case 'wait': await contentGate.pass(); return { alt: 'waited' };
    case 'write': await units('note').create({ title: given.name }); return { alt: 'x' };
    case 'spoil': await units('note').create({ title: given.name }); return { alt: 'x'.repeat(21) };
    case 'count': return { alt: String((await units('note').list()).count) };
    case 'content': return { content: 'YQ==' };
    case 'drop': return { content: undefined, alt: undefined };
    case 'found': return { bytes: 7 };
  }
}
export default kind('file').module({ hooks: {
  before_create: look,
  before_update: look,
  after_create: ({ values }) => void seen.push({ after: Object.keys(values).sort() }),
} });`;

interface Seen {
  readonly given?: Record<string, unknown>;
  readonly unit?: string;
  readonly has?: boolean;
  readonly after?: readonly string[];
}
const shared = globalThis as { contentHooks?: Seen[] };
const gate = new Gate('contentGate');

const MAKES_FILES = `import { kind } from 'kind';
const note = kind('note');
export default note.module({ functions: { make: note.function({
  description: 'Makes a file',
  parameters: { asked: { type: 'string', required: true } },
  run: ({ files, parameters: { asked } }) => files.create({ name: 'a.txt', asked, content: 'content' }),
}) } });`;

const folder = new FunctionsFolder({ 'file.ts': MODULE, 'note.ts': MAKES_FILES });
const service = await startTestService({ functionsDir: folder.path, databasePool: 5 });
const project = await newProject();
const ann = await asMember(project);

async function newProject(): Promise<TestProject> {
  const made = await service.project();
  const { parameters } = (await ok(made.get('/kind/unit/file'))) as { parameters: string[] };
  const own = ['asked', 'alt'].map((id) => ({ id, kind_id: 'string', max_length: 20 }));
  await ok(made.put('/kind/unit/file', { parameters: [...parameters, ...own] }));
  await defineKinds(
    made,
    { id: 'note', parameters: [{ id: 'title', kind_id: 'string' }] },
    {
      id: 'article',
      parameters: [
        { id: 'heading', kind_id: 'string', required: true },
        { id: 'cover', kind_id: 'unit', reference_kind: 'file' },
      ],
    },
  );
  return made;
}

/** What hooks have seen during some work. */
async function seenBy<T>(work: () => Promise<T>): Promise<{ readonly answer: T; readonly hooks: readonly Seen[] }> {
  const from = (shared.contentHooks ??= []).length;
  const answer = await work();
  return { answer, hooks: shared.contentHooks.slice(from) };
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const query = (values: object): string => encodeURIComponent(JSON.stringify(values));
const send = (asked: string, content: string | Buffer = 'content', of = project, more = {}): Promise<Reply> =>
  of.call('POST', `/file/unit?name=a.txt&values=${query({ asked })}`, content, {
    headers: { 'content-type': 'text/plain', ...more },
  });
const json = (asked: string, text = 'content') => ({ name: 'a.txt', asked, content: base64(text) });

/** By tus, in one request. @returns the id of the file, or the refusal */
async function resumed(asked: string, of = project): Promise<Reply> {
  const metadata = Object.entries({ filename: 'a.txt', values: JSON.stringify({ asked }) })
    .map(([key, value]) => `${key} ${base64(value)}`)
    .join(',');
  const headers = {
    'tus-resumable': '1.0.0',
    'upload-length': '7',
    'upload-metadata': metadata,
    'content-type': 'application/offset+octet-stream',
  };
  return of.call('POST', '/file/upload', 'content', { headers });
}

const FORM = (asked: string) =>
  project.post(
    '/file/unit',
    formOf([
      { field: 'values', value: JSON.stringify({ asked }) },
      { field: 'file', value: 'content', filename: 'a.txt', type: 'text/plain' },
    ]),
    { headers: FORM_TYPE },
  );

/** Each way in which a content comes. */
const WAYS: readonly [string, (asked: string) => Promise<Reply>][] = [
  ['a body', (asked) => send(asked)],
  ['a form', FORM],
  ['JSON', (asked) => project.post('/file/unit', json(asked))],
  ['a list', (asked) => project.post('/file/unit', [json(asked)])],
  ['another unit', (asked) => project.post('/article/unit', { heading: 'A', cover: json(asked) })],
  [
    'a batch',
    (asked) => project.post('/batch', { operations: [{ method: 'POST', path: '/file/unit', body: json(asked) }] }),
  ],
  ['a key', (asked) => project.post('/file/unit', json(asked), { headers: { 'idempotency-key': asked } })],
  ['a body with a key', (asked) => send(asked, 'content', project, { 'idempotency-key': `${asked}-body` })],
  ['tus', (asked) => resumed(asked)],
  ['a function', (asked) => project.post('/note/function/make', { asked })],
];

describe.each(WAYS)('the content of %s', (_, create) => {
  it('is a stream for the hook, which sees what was found in it and sets values', async () => {
    const { answer, hooks } = await seenBy(() => create('text'));
    expect(answer.status).toBeLessThan(300);
    const given = { name: 'a.txt', bytes: 7, width: null, height: null, media_type: 'text/plain' };
    const before = hooks.filter((each) => each.after === undefined);
    expect(before).toEqual([{ given: { ...given, sha256: expect.any(String) as string }, has: true, unit: undefined }]);
    expect(hooks.at(-1)?.after).not.toContain('object');
    const { items } = (await ok(project.get('/file/unit?order=inserted_at;desc&limit=1'))) as { items: unknown[] };
    expect(items).toMatchObject([{ alt: 'content', asked: 'text', bytes: 7, media_type: 'text/plain' }]);
  });

  it('is not kept if the hook refuses it', async () => {
    const before = await stored(project);
    const refused = refusalOf(await create('refuse'));
    expect(refused).toMatchObject({ status: 422, messages: [expect.stringMatching(/^file\.virus (cover\.)?name/)] });
    await vi.waitFor(async () => expect(await stored(project)).toEqual(before));
  });
});

describe('a hook', () => {
  it.each([
    ['never reads the stream', 'nothing', null],
    ['reads a part of it', 'half', 'true'],
    ['reads in its own transaction', 'count', '0'],
    ['wants to drop the content', 'drop', null],
  ])('that %s keeps the file', async (_, asked, alt) => {
    const closed = await openedOf(() => send(asked, 'x'.repeat(1_000_000)));
    expect(await ok(Promise.resolve(closed.answer))).toMatchObject({ alt, bytes: 1_000_000 });
    expect(closed.streams.every(({ destroyed }) => destroyed)).toBe(true);
    expect(closed.streams).toHaveLength(asked === 'half' ? 1 : 0);
  });

  it.each([
    ['throws in the middle', 'throw', 500, 'server.error'],
    ['never ends', 'never', 504, 'function.timeout'],
    ['sets a content', 'content', 400, 'parameter.unknown content'],
    ['sets what was found', 'found', 400, 'parameter.read_only bytes'],
  ])('that %s refuses it', async (_, asked, status, message) => {
    const before = await stored(project);
    if (asked === 'never') shortenHooks(300);
    const { answer, streams } = await openedOf(() => send(asked, 'x'.repeat(1_000_000)));
    expect(refusalOf(answer)).toEqual({ status, messages: [message] });
    expect(streams.every(({ destroyed }) => destroyed)).toBe(true);
    await vi.waitFor(async () => expect(await stored(project)).toEqual(before));
  });

  it('that is slow holds no connection', async () => {
    const of = await newProject();
    gate.close();
    const { places } = service.service.app.get(Database);
    const most = LIMITS.uploadsPerProject;
    const sent = Array.from({ length: most + 2 }, () => of.post('/file/unit', json('wait')));
    await gate.reached(most);
    await vi.waitFor(() => expect(places.all.counts.running).toBe(0));
    await ok(of.get('/file/unit'));
    gate.open();
    expect(await Promise.all(sent.map(ok))).toEqual(
      sent.map(() => expect.objectContaining({ alt: 'waited' }) as unknown),
    );
  });

  it('writes in a transaction of its own, which is committed even if the file is refused', async () => {
    const of = await newProject();
    expect((await send('spoil', 'content', of)).status).toBe(400);
    expect(await ok(of.get('/note/unit'))).toMatchObject({ count: 1 });
  });

  it('is not asked of what has faults, nor for those who may not write it', async () => {
    const calls = [
      () => project.post('/file/unit', { ...json('text'), alt: 'x'.repeat(21) }),
      () => ann.put(`/file/unit/${other}`, { content: base64('new') }),
    ];
    const other = await createdId(upload(project, 'a.txt'));
    for (const call of calls) {
      const { answer, hooks } = await seenBy(call);
      expect([answer.status >= 400, hooks]).toEqual([true, []]);
    }
  });

  it('looks at as many contents as one write may have', async () => {
    lowerLimit('filesInTransaction', 2);
    const of = await newProject();
    const files = ['a', 'b', 'c'].map((text) => json('text', text));
    expect(refusalOf(await of.post('/file/unit', files))).toEqual({ status: 400, messages: ['body.too_many'] });
    await vi.waitFor(async () => expect(await stored(of)).toMatchObject({ files: 0, objects: 0 }));
    await ok(of.post('/file/unit', files.slice(1)));
  });

  it('of a dry run is undone with it', async () => {
    const of = await newProject();
    const path = `/file/unit?dry_run=true&name=a.txt&values=${query({ asked: 'write' })}`;
    expect((await of.post(path, 'content')).status).toBe(200);
    expect(await ok(of.get('/note/unit'))).toMatchObject({ count: 0 });
    await vi.waitFor(async () => expect(await stored(of)).toMatchObject({ files: 0, objects: 0 }));
  });
});

describe('a new content of a file', () => {
  const replaced = (id: string, asked: string): [string, () => Promise<Reply>][] => [
    [
      'body',
      () => project.call('PUT', `/file/unit/${id}/content`, 'second', { headers: { 'content-type': 'text/plain' } }),
    ],
    ['JSON', () => project.put(`/file/unit/${id}`, { asked, content: base64('second') })],
    ['filter', () => project.put(`/file/unit?filter=eq(id,${id})`, { asked, content: base64('second') })],
  ];

  it.each([0, 1, 2])('is a stream for the hook, with the unit before it (%i)', async (at) => {
    const id = await createdId(upload(project, 'b.txt', 'first'));
    const { answer, hooks } = await seenBy(() => replaced(id, 'text')[at]?.[1]() ?? Promise.reject(new Error()));
    expect(answer.status).toBe(200);
    expect(hooks).toMatchObject([{ unit: 'b.txt', has: true, given: { bytes: 6 } }]);
    expect(hooks[0]?.given).not.toHaveProperty('content');
    expect(hooks[0]?.given).not.toHaveProperty('object');
    expect(await ok(project.get(`/file/unit/${id}`))).toMatchObject({ alt: 'second', bytes: 6 });
  });

  it('is not kept if the hook refuses it, and without one there is none', async () => {
    const id = await createdId(upload(project, 'b.txt', 'first'));
    const before = await stored(project);
    for (const [, call] of replaced(id, 'refuse').slice(1)) expect((await call()).status).toBe(422);
    await vi.waitFor(async () => expect(await stored(project)).toEqual(before));
    expect((await project.get(`/file/unit/${id}/content`)).text).toBe('first');
    const { hooks } = await seenBy(() => ok(project.put(`/file/unit/${id}`, { name: 'c.txt' })));
    expect(hooks).toEqual([{ given: { name: 'c.txt' }, unit: 'b.txt', has: false }]);
  });

  it('may be a picture, of which it has the measures', async () => {
    const id = await createdId(upload(project, 'a.txt'));
    const { hooks } = await seenBy(() =>
      project.call('PUT', `/file/unit/${id}/content`, PNG, { headers: { 'content-type': 'image/png' } }),
    );
    expect(hooks).toMatchObject([{ given: { media_type: 'image/png', width: 3, height: 2 } }]);
  });
});

it('a client that goes while the hook looks leaves nothing', async () => {
  const of = await newProject();
  gate.close();
  const abort = new AbortController();
  const sent = fetch(`${of.service.url}/api/lib/file/unit?name=a&values=${query({ asked: 'wait' })}`, {
    method: 'POST',
    body: 'content',
    signal: abort.signal,
    headers: { 'kind-project-key': of.id, authorization: `Bearer ${of.token ?? ''}`, 'content-type': 'text/plain' },
  });
  await gate.reached(1);
  abort.abort();
  await expect(sent).rejects.toThrow();
  await vi.waitFor(async () => expect((await stored(of)).objects).toBe(0));
  gate.open();
  await vi.waitFor(() => expect(service.service.app.get(Database).places.all.counts.running).toBe(0));
  expect(await stored(of)).toMatchObject({ files: 0, objects: 0 });
});

it('a module that is loaded again has other hooks, and while it is broken nothing is uploaded', async () => {
  const of = await newProject();
  folder.write('file.ts', MODULE.replace('alt: (await text(content)).slice(0, 20)', "alt: 'other'"));
  await reload(service);
  expect(await ok(send('text', 'content', of))).toMatchObject({ alt: 'other' });
  folder.write('file.ts', "throw new Error('broken')");
  await reload(service);
  expect(refusalOf(await send('text', 'content', of))).toEqual({ status: 503, messages: ['function.broken'] });
  folder.remove('file.ts');
  await reload(service);
  expect(await ok(send('text', 'content', of))).toMatchObject({ alt: null });
  await vi.waitFor(async () => expect(await stored(of)).toMatchObject({ files: 2, objects: 2 }));
});

/** Until the end of the test, hooks of files have less time. */
function shortenHooks(fileHookTimeout: number): void {
  const config = service.service.app.get<{ fileHookTimeout: number }>(CONFIG);
  const before = { ...config };
  Object.assign(config, { fileHookTimeout });
  onTestFinished(() => void Object.assign(config, before));
}

/** The streams of the store that are opened during a request. */
async function openedOf(work: () => Promise<Reply>) {
  const opened = vi.spyOn(service.service.app.get(Objects), 'open');
  const answer = await work();
  const streams = await Promise.all(opened.mock.results.map(({ value }) => value as Promise<{ destroyed: boolean }>));
  opened.mockRestore();
  return { answer, streams };
}
