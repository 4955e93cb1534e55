/** Faults of a function affect no others: time, connections and late errors. */
import { pino } from 'pino';
import { describe, expect, it, vi } from 'vitest';
import { defineKinds } from '../../support/callers.js';
import { ok } from '../../support/definitions.js';
import { outliving } from '../../support/escapes.js';
import { FunctionsFolder } from '../../support/functions.js';
import { startTestService, type TestProject } from '../../support/service.js';

const folder = new FunctionsFolder({
  'job.ts': `
    import { kind } from 'kind';
    const job = kind('job');
    const f = (run: Parameters<typeof job.function>[0]['run'], more = {}) => job.function({ description: 'x', run, ...more });
    let kept: { units: (kind: string) => { create(values: object): Promise<unknown> } } | undefined;
    export default job.module({ functions: {
      never: f(() => new Promise(() => undefined)),
      never_after_write: f(async ({ units }) => {
        await units('job').create({ name: 'written' });
        await new Promise(() => undefined);
      }),
      forgets: f(({ units }) => void units('job').create({ name: 'forgotten' })),
      forgets_and_throws: f(({ units }) => {
        void units('job').list().catch(() => undefined);
        throw new Error('at once');
      }),
      own_limit: f(({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))), { timeout: 50 }),
      short: f(({ units }) => units('job').list({ limit: 1 }), { timeout: 5000 }),
      keeps: f((context) => { kept = context; }),
      uses: f(() => kept?.units('job').create({ name: 'late' }), { timeout: 5000 }),
      blocks: f(() => { const end = Date.now() + 1000; while (Date.now() < end); return 'done'; }, { timeout: 5000 }),
      late: f(() => void setTimeout(() => { throw new Error('from a timer'); })),
      loose: f(() => void Promise.reject(new Error('that nobody waits for'))),
      large: f(() => 'x'.repeat(20_000_000), { timeout: 20_000 }),
      too_large: f(() => 'x'.repeat(34_000_000), { timeout: 20_000 }),
      many_times_over: f(() => Array.from({ length: 10 }).reduce((part) => Array(10).fill(part), 'text'), { timeout: 20_000 }),
      big: f(() => 10n),
    } });`,
});
const lines: { msg: string; err?: { message: string }; name?: string; project?: string }[] = [];
const log = pino(
  { level: 'warn' },
  { write: (text: string) => void lines.push(JSON.parse(text) as (typeof lines)[0]) },
);
const service = await startTestService({ functionsDir: folder.path, functionTimeout: 300, databasePool: 5 }, log);
const project = await service.project();
const other = await service.project();
for (const each of [project, other])
  await defineKinds(each, { id: 'job', parameters: [{ id: 'name', kind_id: 'string' }] });
const call = async (name: string, of = project) => {
  const { status, body } = await of.get(`/job/function/${name}`);
  return status === 200 ? (body.content as unknown) : [status, body.messages[0]?.code];
};
const names = async (of: TestProject = project) =>
  ((await ok(of.get('/job/unit'))) as { items: { name: string }[] }).items.map(({ name }) => name);

describe('the time limit', () => {
  it.each(['never', 'never_after_write', 'own_limit'])('ends a call: %s', async (name) => {
    expect(await call(name)).toEqual([504, 'function.timeout']);
    expect(await names()).toEqual([]);
  });

  it('releases connections: many calls that never end do not block others', async () => {
    const hanging = Array.from({ length: 12 }, () => call('never_after_write'));
    expect(await names(other)).toEqual([]);
    expect(await call('short', other)).toMatchObject({ count: 0 });
    for (const answer of await Promise.all(hanging)) expect(answer).toEqual([504, 'function.timeout']);
    expect(await call('short')).toMatchObject({ count: 0 });
  });
});

describe('a call that is over', () => {
  it('has waited for operations that were not awaited', async () => {
    expect(await call('forgets')).toBeNull();
    expect(await names()).toEqual(['forgotten']);
  });

  it('leaves nothing open if it threw before its first statement returned', async () => {
    for (let time = 0; time < 8; time++) expect(await call('forgets_and_throws')).toEqual([500, 'server.error']);
    expect(await call('short')).toMatchObject({ count: 1 });
  });

  it('cannot be used by another call', async () => {
    expect(await call('keeps')).toBeNull();
    expect(await call('uses')).toEqual([500, 'server.error']);
    expect(await names()).not.toContain('late');
  });
});

describe('what is answered', () => {
  it('may be large', async () => {
    expect((await call('large')) as string).toHaveLength(20_000_000);
  });

  it('is no larger than any answer', async () => {
    for (const name of ['too_large', 'many_times_over']) expect(await call(name)).toEqual([400, 'answer.too_large']);
  });

  it('is JSON, or an error of the author', async () => {
    expect(await call('big')).toEqual([500, 'server.error']);
  });

  it('reaches others too, after one call has blocked the process', async () => {
    const [blocked, behind] = await Promise.all([call('blocks'), call('short', other)]);
    expect([blocked, behind]).toMatchObject(['done', { count: 0 }]);
  });
});

describe('an error after the end of the call', () => {
  const exit = outliving(log, folder.path);

  it.each([
    ['late', 'from a timer'],
    ['loose', 'that nobody waits for'],
  ])('is logged with its function, and ends nothing: %s', async (name, message) => {
    expect(await call(name)).toBeNull();
    await vi.waitFor(() => {
      expect(lines.find(({ err }) => err?.message === message)).toMatchObject({
        name,
        project: project.id,
        msg: 'a function let an error escape from its call',
      });
    });
    expect(exit).not.toHaveBeenCalled();
    expect(await call('short')).toMatchObject({ count: 1 });
  });
});
