/** Functions make, read and give addresses to files, within their transaction and the limits of requests. */
import { describe, expect, it, vi } from 'vitest';
import { Objects } from '../../../src/file/objects.js';
import { LIMITS } from '../../../src/shared/limits.js';
import { anonymous, asMember, defineKinds } from '../../support/callers.js';
import { createdId, ok, refusalOf } from '../../support/definitions.js';
import { stored, upload } from '../../support/files.js';
import { FunctionsFolder } from '../../support/functions.js';
import { Gate, gateOf } from '../../support/gate.js';
import { lowerLimit } from '../../support/limits.js';
import { startTestService, type TestProject } from '../../support/service.js';

const MODULE = `${gateOf('filesGate')}
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { FunctionError, kind } from 'kind';
const note = kind('note');

const contents = {
  string: () => 'content',
  bytes: () => Buffer.from('content'),
  node: () => Readable.from(['con', Buffer.from('tent')]),
  web: () => new Blob(['content']).stream(),
  async *rows({ units }) {
    await units('note').create({ title: 'from the stream' });
    for (const { title } of (await units('note').list()).items) yield title;
  },
  async *throws() { yield 'con'; throw new Error('the source failed'); },
  async *endless() { for (;;) { yield Buffer.alloc(1024); await new Promise(setImmediate); } },
  hanging: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) }),
  number: () => 5,
};
const from = { from: { type: 'string', default: 'string' } } as const;
const one = { of: { type: 'string', required: true } } as const;
const run = (work, parameters = {}) => note.function({ description: 'x', parameters, run: work, access: 'anyone' });

const make = (context, data = context) => data.files.create({
  name: 'a.csv', alt: 'x', media_type: 'text/csv', content: contents[context.parameters.from](context),
});

export default note.module({ functions: {
  make: run(make, from),
  as_system: run((context) => make(context, context.system), from),
  undone: run(async (context) => { await make(context); throw new FunctionError(409, 'note.no', 'No'); }, from),
  fails: run(async (context) => {
    await Promise.all([make(context), context.units('note').create({ nothing: 1 })]);
  }, from),
  caught: run(async (context) => {
    await context.files.create({ name: '..', content: 'x' }).catch(() => undefined);
    await context.files.create({ name: 'a', alt: 5, content: 'x' }).catch(() => undefined);
    return make(context);
  }, from),
  forgotten: run((context) => { void make(context); return 'done'; }, from),
  many: run(async ({ files, parameters: { count } }) => {
    const made = Array.from({ length: count }, (_, at) => files.create({ name: 'a' + at, content: String(at) }));
    return (await Promise.allSettled(made)).filter(({ status }) => status === 'fulfilled').length;
  }, { count: { type: 'integer', required: true } }),
  read: run(async ({ files, parameters: { of: id } }) => {
    const file = await files.open(id);
    return { ...file, text: await text(file.content) };
  }, one),
  copied: run(async ({ files, parameters: { of: id } }) => {
    const { content, name } = await files.open(id);
    return files.create({ name: 'copy of ' + name, content });
  }, one),
  left: run(async ({ files, parameters: { of: id, count, begin } }) => {
    for (let at = 0; at < count; at += 1) {
      const { content } = await files.open(id);
      if (begin) await content[Symbol.asyncIterator]().next();
    }
    return 'done';
  }, { ...one, count: { type: 'integer', required: true }, begin: { type: 'boolean', default: false } }),
  address: run(({ files, parameters: { of: id, seconds } }) => files.url(id, seconds === null ? undefined : { seconds }), { ...one, seconds: { type: 'integer' } }),
  system_address: run(({ system, parameters: { of: id } }) => system.files.url(id, { seconds: 60 }), one),
  listed: run(async ({ units }) => (await units('file').list({ include: ['url'], limit: 1 })).items[0].url),
  system_read: run(async ({ system, parameters: { of: id } }) => text((await system.files.open(id)).content), one),
  waits: run(async ({ files }) => {
    async function* slow() { yield 'a'; await filesGate.pass(); }
    return files.create({ name: 'a', content: slow() });
  }),
} });`;

const gate = new Gate('filesGate');
const folder = new FunctionsFolder({ 'note.ts': MODULE });
const service = await startTestService({ functionsDir: folder.path, functionTimeout: 4000, fileLimit: 200_000 });
const project = await newProject();
const ann = await asMember(project);

async function newProject(): Promise<TestProject> {
  const made = await service.project();
  const { parameters } = (await ok(made.get('/kind/unit/file'))) as { parameters: string[] };
  await ok(made.put('/kind/unit/file', { parameters: [...parameters, { id: 'alt', kind_id: 'string' }] }));
  await defineKinds(made, { id: 'note', parameters: [{ id: 'title', kind_id: 'string' }] });
  return made;
}

const call = (name: string, parameters: object = {}, of = project) => of.post(`/note/function/${name}`, parameters);

describe('files.create', () => {
  it.each(['string', 'bytes', 'node', 'web'])('makes a file of a %s', async (from) => {
    const made = (await ok(call('make', { from }))) as { id: string };
    expect(made).toMatchObject({ name: 'a.csv', alt: 'x', media_type: 'text/csv', bytes: 7 });
    expect((await project.get(`/file/unit/${made.id}/content`)).text).toBe('content');
  });

  it('reads a stream that works with units meanwhile', async () => {
    const { id } = (await ok(call('make', { from: 'rows' }))) as { id: string };
    expect((await project.get(`/file/unit/${id}/content`)).text).toBe('from the stream');
  });

  it('makes it as its caller, or as the system', async () => {
    const { content: me } = (await ann.get('/auth/me')).body as { content: { id: string } };
    expect(await ok(call('make', {}, ann))).toMatchObject({ owner: me.id });
    const stranger = anonymous(project);
    expect(refusalOf(await call('make', {}, stranger))).toEqual({ status: 401, messages: ['token.missing'] });
    expect(await ok(call('as_system', {}, stranger))).toMatchObject({ bytes: 7, owner: null });
  });

  it.each([
    ['undone', 'string', 409, 'note.no'],
    ['make', 'throws', 500, 'server.error'],
    ['make', 'number', 500, 'server.error'],
    ['make', 'endless', 413, 'body.too_large'],
    ['make', 'hanging', 504, 'function.timeout'],
  ])('keeps nothing of what is not committed: %s of %s', async (name, from, status, message) => {
    const before = await stored(project);
    expect(refusalOf(await call(name, { from }))).toEqual({ status, messages: [message] });
    await vi.waitFor(async () => expect(await stored(project)).toEqual(before));
  });

  it('may be refused, after which the call goes on, and need not be awaited', async () => {
    const of = await newProject();
    await ok(call('caught', {}, of));
    expect(await ok(call('forgotten', {}, of))).toBe('done');
    await vi.waitFor(async () => expect(await stored(of)).toEqual({ files: 2, bytes: 14, objects: 2, unused: 0 }));
  });

  it('takes places of uploads, of which others have theirs', async () => {
    const [of, other] = [await newProject(), await newProject()];
    gate.close();
    const waiting = Array.from({ length: LIMITS.uploadsPerProject }, () => call('waits', {}, of));
    await gate.reached(LIMITS.uploadsPerProject);
    expect(refusalOf(await call('make', {}, of))).toEqual({ status: 503, messages: ['server.busy'] });
    await ok(call('make', {}, other));
    gate.open();
    await Promise.all(waiting.map(ok));
    await ok(call('make', {}, of));
  });

  it('gives back the place of a content that never comes, when the function has failed', async () => {
    const of = await newProject();
    for (let at = 0; at < LIMITS.uploadsPerProject; at += 1) {
      expect((await call('fails', { from: 'hanging' }, of)).status).toBe(400);
    }
    await vi.waitFor(() => ok(call('make', {}, of)));
  });

  it('of more files than a transaction may have is refused', async () => {
    const of = await newProject();
    await ok(call('many', { count: 20 }, of));
    expect(await stored(of)).toMatchObject({ files: 20, objects: 20 });
    lowerLimit('filesInTransaction', 30);
    expect(await ok(call('many', { count: 32 }, of))).toBe(30);
    expect(await stored(of)).toMatchObject({ files: 50, objects: 50 });
  });
});

describe('files.open', () => {
  it('reads a file, whose content is no field of it', async () => {
    const id = await createdId(upload(project, 'a.txt', 'Hello'));
    const read = (await ok(call('read', { of: id }))) as object;
    expect(read).toMatchObject({ id, name: 'a.txt', bytes: 5, text: 'Hello' });
    expect(read).not.toHaveProperty('content');
    expect(await ok(call('copied', { of: id }))).toMatchObject({ name: 'copy of a.txt', bytes: 5 });
  });

  it('reads what the caller may read, and the system everything', async () => {
    const id = await createdId(upload(project, 'a.txt', 'Hello'));
    expect(refusalOf(await call('read', { of: id }, ann)).status).toBe(404);
    expect(await ok(call('system_read', { of: id }, ann))).toBe('Hello');
  });

  it('opens what is read, so many at once, and closes them with the call', async () => {
    const id = await createdId(upload(project, 'a.txt', 'x'.repeat(150_000)));
    const opened = vi.spyOn(service.service.app.get(Objects), 'open');
    expect(await ok(call('left', { of: id, count: 300 }))).toBe('done');
    expect(opened).not.toHaveBeenCalled();
    expect(await ok(call('left', { of: id, count: LIMITS.filesOpen, begin: true }))).toBe('done');
    lowerLimit('filesOpen', 3);
    expect((await call('left', { of: id, count: 4, begin: true })).status).toBe(500);
    const streams = await Promise.all(opened.mock.results.map(({ value }) => value as Promise<{ destroyed: boolean }>));
    expect(streams.length).toBeGreaterThan(LIMITS.filesOpen);
    await vi.waitFor(() => expect(streams.every(({ destroyed }) => destroyed)).toBe(true));
    opened.mockRestore();
  });
});

it('addresses in what code reads are there too where the answer is kept for a key', async () => {
  await ok(upload(ann, 'a.txt', 'hello'));
  const keyed = { headers: { 'idempotency-key': 'listed' } };
  const urls = [await ok(ann.post('/note/function/listed', {}, keyed)), await ok(call('listed', {}, ann))] as string[];
  for (const url of urls) expect((await fetch(project.service.url + url)).status).toBe(200);
});

describe('files.url', () => {
  it('answers an address that opens the file for some time', async () => {
    const id = await createdId(upload(project, 'a.txt', 'Hello'));
    const url = (await ok(call('address', { of: id, seconds: 60 }))) as string;
    const reply = await fetch(project.service.url + url);
    expect([reply.status, await reply.text()]).toEqual([200, 'Hello']);
    expect(Number(new URL(url, 'http://localhost').searchParams.get('expires'))).toBeLessThan(Date.now() / 1000 + 62);
    expect(await ok(call('address', { of: id }))).toContain('signature=');
    expect((await call('address', { of: id, seconds: 0 })).status).toBe(500);
  });

  it('is for those who may read it', async () => {
    const id = await createdId(upload(project, 'a.txt', 'Hello'));
    expect(refusalOf(await call('address', { of: id }, ann)).status).toBe(404);
    expect(refusalOf(await call('address', { of: id }, anonymous(project))).status).toBe(401);
    const url = (await ok(call('system_address', { of: id }, anonymous(project)))) as string;
    expect((await fetch(project.service.url + url)).status).toBe(200);
  });
});
