/** Errors in the code of a module neither end the process nor affect others, wherever it is called and whatever it throws. */
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { pino } from 'pino';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { defineKinds } from '../../support/callers.js';
import { createdId, ok } from '../../support/definitions.js';
import { outliving } from '../../support/escapes.js';
import { FunctionsFolder, reload } from '../../support/functions.js';
import { startTestService } from '../../support/service.js';
import { stopTracking } from '../../../src/function/sandbox/user-code.js';
import { loggedError } from '../../../src/http/log/logger.js';
import { refusal } from '../../../src/shared/errors.js';

/** Of the discard protocol, where nobody listens. */
const NOBODY = 'http://127.0.0.1:9/';
const ODD = `
const odd: Record<string, () => unknown> = {
  null: () => null,
  text: () => 'a text',
  bare: () => Object.create(null),
  symbol: () => Symbol('a symbol'),
  message: () => Object.assign(new Error('x'), { message: { code: 1 } }),
  message_getter: () => Object.defineProperty(new Error('x'), 'message', { get() { throw new Error('gotcha'); } }),
  stack_getter: () => Object.defineProperty(new Error('x'), 'stack', { get() { throw new Error('gotcha'); } }),
  stack_number: () => Object.assign(new Error('x'), { stack: 5 }),
  getter: () => Object.defineProperty(new Error('x'), 'more', { enumerable: true, get() { throw new Error('gotcha'); } }),
  cause: () => new Error('x', { cause: Object.defineProperty(new Error('y'), 'stack', { get() { throw new Error('gotcha'); } }) }),
  proxy: () => new Proxy({}, { get() { throw new Error('gotcha'); }, getPrototypeOf() { throw new Error('gotcha'); } }),
};`;
const ODDITIES = [...ODD.matchAll(/^ {2}(\w+): \(\) => /gm)].map(([, name = '']) => name);
const JOB = `
import { kind } from 'kind';
${ODD}
const job = kind('job');
const f = (run: Parameters<typeof job.function>[0]['run'], more = {}) => job.function({ description: 'x', run, ...more });
const loose = (text: string) => void Promise.reject(text);
function merge(into: any, from: any) {
  for (const key of Object.keys(from))
    if (typeof from[key] === 'object' && into[key] !== undefined) merge(into[key], from[key]);
    else into[key] = from[key];
  return into;
}
export default job.module({
  functions: {
    fine: f(() => 'fine'),
    forgets: f(({ units }) => {
      void units('job').get('nothing');
    }),
    aborts_loosely: f(({ signal }) => new Promise(() => signal.addEventListener('abort', () => void fetch('${NOBODY}'))), { timeout: 40 }),
    aborts_with_text: f(({ signal }) => new Promise(() => signal.addEventListener('abort', () => { throw 'on abort'; })), { timeout: 40 }),
    tells_loosely: f(() => ({ toJSON() { loose('by toJSON'); return 1; } })),
    throws_late: f(({ parameters }) => void setTimeout(() => { throw odd[parameters['name'] as string]?.(); }), { parameters: { name: { type: 'string', required: true } } }),
    rejects_late: f(({ parameters }) => void Promise.reject(odd[parameters['name'] as string]?.()), { parameters: { name: { type: 'string', required: true } } }),
    merges: f(({ parameters }) => merge({ theme: 'plain', list: [1] }, parameters['settings']), { parameters: { settings: { type: 'json' } } }),
    takes: f(({ parameters }) => {
      const own: Record<string, unknown> = {};
      own['constructor'] = (parameters['settings'] as Record<string, unknown>)['constructor'];
      // As compilers for old engines derive a class.
      function Derived() {}
      Derived.prototype = Object.create({});
      Derived.prototype.constructor = Derived;
      return { own: own['constructor'], keys: Object.keys(own), derived: (new (Derived as any)()).constructor.name };
    }, { parameters: { settings: { type: 'json' } } }),
    names: f(() => Object.assign({}, { toString: 'mine', constructor: 1 })),
    throws: f(({ parameters }) => { throw odd[parameters['name'] as string]?.(); }, { parameters: { name: { type: 'string', required: true } } }),
  },
  hooks: {
    before_create: () => ({ get name() { loose('by a getter of a hook'); return 'made'; } }),
    before_update: ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => { loose('by a hook that is over'); reject(signal.reason); })),
  },
});`;
const FAR = `
import { kind } from 'kind';
const item = { id: '1', get data() { return { get name() { void Promise.reject('by a getter of a source'); return 'far'; } }; } };
export default kind('far').module({ remote: { list: () => ({ count: 1, items: [item] }) } });`;

interface Line {
  readonly level: number;
  readonly msg: string;
  readonly file?: string;
  readonly line?: number;
  readonly place?: string;
  readonly name?: string;
  readonly project?: string;
  readonly err?: { readonly message: string };
}
const ESCAPED = 'a function let an error escape from its call';
const lines: Line[] = [];
const log = pino(
  { level: 'error', serializers: { err: loggedError } },
  { write: (text: string) => void lines.push(JSON.parse(text) as Line) },
);
const files = new FunctionsFolder({ 'job.ts': JOB, 'far.ts': FAR });
// As an operator may set it: a link to where the files are.
const folder = join(new FunctionsFolder().path, 'link');
symlinkSync(files.path, folder);
const exit = outliving(log, folder);
const service = await startTestService({ functionsDir: folder, functionTimeout: 100 }, log);
const project = await service.project();
await defineKinds(
  project,
  { id: 'job', parameters: [{ id: 'name', kind_id: 'string' }] },
  { id: 'far', remote: true, parameters: [{ id: 'data', kind_id: 'json' }] },
);
const call = (name: string, body = {}) => project.post(`/job/function/${name}`, body);
const escaped = () =>
  vi.waitFor(() => {
    const found = lines.find(({ msg }) => msg === ESCAPED);
    if (!found) throw new Error('nothing escaped');
    return found;
  });
const goesOn = async () => {
  expect(await ok(call('fine'))).toBe('fine');
  expect(exit).not.toHaveBeenCalled();
};

beforeEach(() => void lines.splice(0));

describe('uncaught errors of a loading module are logged with its file', () => {
  it.each([
    ['a request', `const rates = fetch('${NOBODY}');`, 'fetch failed'],
    ['a connection', `import net from 'node:net'; net.connect(9, '127.0.0.1');`, 'connect ECONNREFUSED'],
    ['a file', `import fs from 'node:fs'; fs.createReadStream('/nonexistent');`, 'ENOENT'],
    ['a rejection', `Promise.reject('loose text');`, 'loose text'],
    ['a timer', `setTimeout(() => { throw 'late text'; });`, 'late text'],
    ['a timer of a helper', `import './_late.ts';`, 'of a helper'],
  ])('%s', async (_, text, told) => {
    files.write('_late.ts', `setTimeout(() => { throw new Error('of a helper'); });`);
    files.write('own.ts', `import { kind } from 'kind'; ${text} export default kind('own').module({});`);
    await reload(service);
    const { file, err } = await escaped();
    expect([file, err?.message]).toEqual(['own.ts', expect.stringContaining(told)]);
    await goesOn();
    files.remove('own.ts');
  });
});

describe('uncaught errors of a call are logged with its function', () => {
  it.each<[string, () => Promise<{ status: number }>, number, object]>([
    ['a request of a listener', () => call('aborts_loosely'), 504, { name: 'aborts_loosely' }],
    ['what a listener throws', () => call('aborts_with_text'), 504, { err: { message: 'on abort' } }],
    ['what makes its answer', () => call('tells_loosely'), 200, { err: { message: 'by toJSON' } }],
    ['what a hook returns', () => project.post('/job/unit', {}), 200, { err: { message: 'by a getter of a hook' } }],
    ['what a source answers', () => project.get('/far/unit'), 200, { name: 'remote.list' }],
  ])('%s', async (_, work, status, told) => {
    expect((await work()).status).toBe(status);
    expect(await escaped()).toMatchObject({ project: project.id, ...told });
    await goesOn();
  });

  it('a rejected operation that is not awaited, with the calling line', async () => {
    expect((await call('forgets')).status).toBe(200);
    const line = JOB.split('\n').findIndex((each) => each.includes("get('nothing')")) + 1;
    expect(await escaped()).toMatchObject({ name: 'forgets', place: `job.ts:${line}` });
    await goesOn();
  });

  it('an event listener in a hook', async () => {
    const id = await createdId(project.post('/job/unit', {}));
    lines.splice(0);
    expect((await project.put(`/job/unit/${id}`, { name: 'x' })).status).toBe(504);
    expect(await escaped()).toMatchObject({ name: 'before_update', err: { message: 'by a hook that is over' } });
    await goesOn();
  });
});

describe.each(ODDITIES)('an unusual thrown value: %s', (name) => {
  it.each(['throws_late', 'rejects_late'])('%s', async (how) => {
    expect((await call(how, { name })).status).toBe(200);
    expect(await escaped()).toMatchObject({ name: how, err: { message: expect.any(String) as string } });
    await goesOn();
  });

  it('in a call is a fault of its function', async () => {
    expect((await call('throws', { name })).status).toBe(500);
    expect(lines.map(({ err }) => err?.message)).toEqual([expect.stringContaining(`the function 'throws' of job.ts`)]);
    await goesOn();
  });

  it('at the top level of a module breaks only that module', async () => {
    files.write('own.ts', `${ODD}\nthrow odd['${name}']?.();`);
    await reload(service);
    expect(lines).toMatchObject([{ file: 'own.ts', msg: expect.stringMatching(/^functions: own\.ts/) as string }]);
    await goesOn();
    lines.splice(0);
    await reload(service);
    expect(lines).toEqual([]);
    files.remove('own.ts');
  });
});

describe('when no user code has run for a while', () => {
  const calledLate = async (name: string) => {
    const late = call('throws_late', { name });
    stopTracking();
    expect((await late).status).toBe(200);
  };

  it.each(['text', 'null', 'message'])('late uncaught errors are logged without the function: %s', async (name) => {
    await calledLate(name);
    stopTracking();
    expect(await escaped()).toMatchObject({ level: 50, err: { message: expect.any(String) as string } });
    await goesOn();
  });

  it('an error of the service itself ends the process', async () => {
    setTimeout(() => {
      throw refusal('unit.unknown', 'ours');
    });
    await vi.waitFor(() => expect(exit).toHaveBeenCalledWith(1));
    expect(lines).toMatchObject([{ level: 60, msg: 'an error that nobody caught' }]);
    exit.mockClear();
  });

  it('the function is logged again from the next call on', async () => {
    await call('throws_late', { name: 'text' });
    expect(await escaped()).toMatchObject({ name: 'throws_late' });
  });
});

it('an error at the top level of a module breaks only that module', async () => {
  files.write('own.ts', `import { FunctionError } from 'kind';\nthrow new FunctionError(409, 'own.no', 'No');`);
  await reload(service);
  expect(lines).toMatchObject([{ file: 'own.ts', line: 2, msg: 'functions: own.ts:2: own.no: No' }]);
  await goesOn();
  files.remove('own.ts');
});

it('an unreadable default export breaks only its module', async () => {
  const trap = '{ get() { throw new Error("gotcha"); }, getPrototypeOf() { throw new Error("gotcha"); } }';
  files.write('own.ts', `export default new Proxy({}, ${trap});`);
  await reload(service);
  expect(lines).toMatchObject([{ file: 'own.ts' }]);
  await goesOn();
  files.remove('own.ts');
});

describe('built-in prototypes', () => {
  it.each([
    ['is added to', '{"__proto__":{"theme":"x"}}'],
    ['is added to, by its own object', '{"__proto__":{"__proto__":{"seesHidden":true}}}'],
    ['is replaced', '{"__proto__":{"hasOwnProperty":"x"}}'],
    ['is replaced by a text', '{"__proto__":{"toString":"x"}}'],
    ['makes of objects', '{"__proto__":{"constructor":"x"}}'],
    ['replaces of lists', '{"list":{"constructor":{"isArray":"x"}}}'],
    ['adds to lists', '{"list":{"__proto__":{"theme":"x"}}}'],
    ['replaces in lists', '{"list":{"__proto__":{"map":"x"}}}'],
    ['makes of lists', '{"list":{"__proto__":{"constructor":"x"}}}'],
    ['replaces of functions', '{"constructor":{"constructor":{"prototype":{"call":"x"}}}}'],
    ['replaces beside objects', '{"constructor":{"keys":"x"}}'],
    ['adds to a method', '{"toString":{"call":"x"}}'],
    ['replaces of texts', '{"theme":{"constructor":{"prototype":{"trim":"x"}}}}'],
  ])('is not what a careless merge %s', async (_, settings) => {
    const { status } = await project.call('POST', '/job/function/merges', `{"settings":${settings}}`);
    expect(status).toBe(500);
    expect([({} as { theme?: string }).theme, Object.hasOwn({}, 'theme')]).toEqual([undefined, false]);
    expect([{}.constructor, (() => 1).constructor]).toEqual([Object, Function]);
    expect([([] as { theme?: string }).theme, Array.isArray([]), [1].map(String)]).toEqual([undefined, true, ['1']]);
    await goesOn();
    expect((await project.get('/job/unit')).status).toBe(200);
  });

  it('may have their names reused in objects of an author', async () => {
    expect(await ok(call('names'))).toEqual({ toString: 'mine', constructor: 1 });
    expect(await ok(call('merges', { settings: { theme: 'dark', valueOf: 1 } }))).toMatchObject({ theme: 'dark' });
    const settings = { constructor: 2 };
    expect(await ok(call('takes', { settings }))).toEqual({ own: 2, keys: ['constructor'], derived: 'Derived' });
  });

  it('are printed as usual', () => {
    class Own {
      readonly a = 1;
    }
    function Old() {}
    const shown = [{ a: 1 }, new Own(), Object.create({ b: 1 }), Old, Own, () => 1, [{}], new Map([[1, {}]])];
    expect(shown.map((each) => inspect(each))).toEqual([
      ...['{ a: 1 }', 'Own { a: 1 }', '{}', '[Function: Old]', '[class Own]'],
      ...['[Function (anonymous)]', '[ {} ]', 'Map(1) { 1 => {} }'],
    ]);
  });

  it('cannot be extended by a polyfill', async () => {
    files.write('own.ts', 'Object.prototype.tap = () => 1;');
    await reload(service);
    expect(lines).toMatchObject([
      { file: 'own.ts', msg: expect.stringContaining('Cannot add property tap') as string },
    ]);
    await goesOn();
    files.remove('own.ts');
  });
});
