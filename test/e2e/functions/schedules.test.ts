/** Functions that run by themselves: once per tick, on one of two processes. Times are moved by changing rows. */
import { expect, it, vi } from 'vitest';
import { asMember, anonymous, defineKinds, documented } from '../../support/callers.js';
import { ok } from '../../support/definitions.js';
import { FunctionsFolder, reload } from '../../support/functions.js';
import { startTestService } from '../../support/service.js';
import { sideConnection } from '../../support/side-connection.js';
import { WorkClaims } from '../../../src/database/registry/work-claims.js';
import { Schedules } from '../../../src/function/schedule/schedules.js';

const folder = new FunctionsFolder();
const settings = {
  functionsDir: folder.path,
  functionTimeout: 3000,
  databasePool: 10,
  shutdownGrace: 200,
  shutdownIdle: 0,
};
const [one, two] = [await startTestService(settings), await startTestService(settings)];
const services = [one, two];
const project = await one.project();
const side = await sideConnection();

const MODULE = `
  import { FunctionError, kind } from 'kind';
  const job = kind('job');
  const f = (run, more = {}) => job.function({ description: 'x', schedule: '* * * * *', run, ...more });
  const gates = (globalThis.scheduleGates ??= {});
  const gate = (name) => new Promise((open) => (gates[name] = [...(gates[name] ?? []), open]));
  export default job.module({
    functions: {
      notes: f(async ({ tick, member, units, system, parameters }) => {
        const allowed = await units('job').list().then(() => true, ({ status }) => status);
        await system.units('job').create({ name: 'notes', data: { tick, member, allowed, parameters } });
      }, { parameters: { size: { type: 'integer', default: 3 } } }),
      throws: f(async ({ system }) => {
        await system.units('job').create({ name: 'never' });
        throw new Error('no key for postgres://me:secret@host/db');
      }),
      refuses: f(() => { throw new FunctionError(409, 'job.closed', 'Closed today'); }),
      wrong: f(({ system }) => system.units('job').create({ name: 5 })),
      slow: f(() => new Promise(() => undefined), { timeout: 50 }),
      waits: f(async ({ system, signal }) => {
        await gate('waits');
        await system.units('job').create({ name: 'waited' });
      }, { timeout: 60_000 }),
      yearly: f(() => undefined, { schedule: { cron: '0 0 1 1 *', timezone: 'Europe/Rome' } }),
      plain: job.function({ description: 'y', run: ({ tick }) => tick ?? null }),
      open: f(({ tick }) => tick ?? null, { access: 'anyone' }),
    },
    hooks: { before_create: ({ via, values, member }) => ({ via: via + (member ? '!' : '') }) },
  });`;

await defineKinds(project, {
  id: 'job',
  access: { read: 'member', create: 'admin' },
  parameters: [
    { id: 'name', kind_id: 'string' },
    { id: 'via', kind_id: 'string' },
    { id: 'data', kind_id: 'json' },
  ],
});

interface Run {
  readonly id: string;
  readonly function: string;
  readonly tick: string;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  readonly outcome: string;
}

const gates = ((globalThis as { scheduleGates?: Record<string, (() => void)[]> }).scheduleGates ??= {});
const openGate = (name: string): void => gates[name]?.splice(0).forEach((open) => open());
const poll = async () => void (await Promise.all(services.map(({ service }) => service.app.get(Schedules).poll())));
/** Looks at all projects, which happens once a minute. */
const look = async () => {
  await side.rows(`UPDATE kind.work SET due_at = now() WHERE type = 'schedules'`);
  await poll();
};
const deploy = async (text = MODULE) => {
  folder.write(`${project.id}/job.ts`, text);
  await Promise.all(services.map(reload));
  await poll();
};
const runsOf = async (name: string, of = project): Promise<Run[]> => {
  const { items } = (await ok(of.get('/function/run?limit=1000'))) as { items: Run[] };
  return items.filter((run) => run.function === name);
};
const ended = (name: string, count = 1) =>
  vi.waitFor(async () => {
    const runs = await runsOf(name);
    expect(runs.filter(({ outcome }) => outcome !== 'running')).toHaveLength(count);
    return runs;
  });
/** Makes a function due at a tick so long ago. */
const makeDue = async (name: string, ago = '0 seconds') => {
  const text = `UPDATE kind.work SET due_at = now() - $3::interval WHERE project = $1 AND name = $2 RETURNING id`;
  expect(await side.rows(text, [project.id, `job.${name}`, ago])).toHaveLength(1);
};
const workOf = async (name: string) => {
  const text = 'SELECT holder, due_at > now() AS later, detail FROM kind.work WHERE project = $1 AND name = $2';
  const [row] = await side.rows<{ holder: string | null; later: boolean; detail: string }>(text, [
    project.id,
    `job.${name}`,
  ]);
  return row;
};
const namesOf = async () =>
  ((await ok(project.get('/job/unit?limit=1000'))) as { items: { name: string }[] }).items.map(({ name }) => name);
const minute = (text: string) => expect(text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:00\.000000Z$/);

await deploy();

it('runs once per tick on one of two processes, as nobody and as the system', async () => {
  expect((await workOf('notes'))?.later).toBe(true);
  await makeDue('notes');
  await poll();
  const [run] = await ended('notes');
  expect(run).toMatchObject({ kind_id: 'job', outcome: 'done', code: null, text: null, file: null, line: null });
  minute(run?.tick ?? '');
  await poll();
  await poll();
  // The next minute may have begun meanwhile.
  const ticks = (await runsOf('notes')).map(({ tick }) => tick);
  expect(ticks.filter((tick) => tick === run?.tick)).toHaveLength(1);
  expect(new Set(ticks).size).toBe(ticks.length);
  await vi.waitFor(async () => expect(await workOf('notes')).toMatchObject({ holder: null, later: true }));
  const { items } = (await ok(project.get('/job/unit?filter=eq(name,notes)'))) as { items: object[] };
  expect(items).toContainEqual(
    expect.objectContaining({
      via: 'schedule',
      data: { tick: run?.tick, member: null, allowed: 401, parameters: { size: 3 } },
    }),
  );
});

it('tells why a run failed, and stores nothing of it', async () => {
  const file = `${project.id}/job.ts`;
  const failures = [
    ['throws', 'failed', { code: 'server.error', text: 'no key for postgres://…@host/db', file, line: 15 }],
    ['refuses', 'failed', { code: 'job.closed', text: 'Closed today', file, line: 17 }],
    [
      'wrong',
      'failed',
      { code: 'parameter.bad_type', text: expect.stringContaining('name') as string, file, line: 18 },
    ],
    ['slow', 'timeout', { code: 'function.timeout' }],
  ] as const;
  for (const [name] of failures) await makeDue(name);
  await vi.waitFor(async () => {
    await poll();
    for (const [name, outcome, told] of failures) {
      expect([name, await runsOf(name)]).toMatchObject([name, [{ outcome, ...told }]]);
    }
  });
  expect(await namesOf()).not.toContain('never');
  expect((await workOf('throws'))?.later).toBe(true);
});

it('skips ticks while a run goes on, which is the only one', async () => {
  await makeDue('waits', '90 seconds');
  await poll();
  await vi.waitFor(async () => expect(await runsOf('waits')).toMatchObject([{ outcome: 'running', ended_at: null }]));
  await poll();
  const again = await project.post('/function/run', { kind_id: 'job', function: 'waits' });
  expect([again.status, again.body.messages[0]?.code]).toEqual([409, 'function.running']);
  const [{ id, tick } = { id: '', tick: '' }] = await runsOf('waits');
  // As if it had begun three minutes ago.
  const before = new Date(Date.parse(tick) - 3 * 60_000);
  await side.rows(`UPDATE "project_${project.id}"."_run" SET tick = $2 WHERE id = $1`, [id, before]);
  openGate('waits');
  await vi.waitFor(async () => expect(await namesOf()).toContain('waited'));
  await vi.waitFor(async () => expect((await runsOf('waits')).at(-1)).toMatchObject({ outcome: 'done' }));
  const runs = await runsOf('waits');
  const skipped = (Date.parse(runs[0]?.tick ?? '') - before.getTime()) / 60_000;
  expect(skipped).toBeGreaterThanOrEqual(3);
  expect(runs.map(({ outcome }) => outcome)).toEqual([...Array<string>(skipped).fill('skipped'), 'done']);
  expect(runs[0]).toMatchObject({ started_at: null, ended_at: null });
  minute(runs[0]?.tick ?? '');
  expect(await workOf('waits')).toMatchObject({ holder: null, later: true });
});

it('is run by hand by administrators', async () => {
  const { held } = await documented({ held: project });
  const begun = (await ok(held.post('/function/run', { kind_id: 'job', function: 'yearly' }))) as Run;
  expect(begun).toMatchObject({ kind_id: 'job', function: 'yearly', outcome: 'running', ended_at: null });
  expect(await ended('yearly')).toMatchObject([{ id: begun.id, outcome: 'done', tick: begun.tick }]);
  expect(await workOf('yearly')).toMatchObject({ holder: null, later: true, detail: '0 0 1 1 * Europe/Rome' });
  await ok(held.get('/function/run?kind_id=job&limit=2&offset=1'));
  expect(await ok(held.get('/function/run?kind_id=other'))).toEqual({ count: 0, items: [] });
  const member = await asMember(project);
  for (const [caller, status] of [
    [anonymous(project), 401],
    [member, 403],
  ] as const) {
    expect((await caller.get('/function/run')).status).toBe(status);
    expect((await caller.post('/function/run', 5)).status).toBe(status);
  }
});

it('is taken once by a process that asks for it several times at once', async () => {
  const claims = new WorkClaims(one.service.database, 'test');
  await claims.plan([{ project: project.id, name: 'once', detail: '', due: 0 }]);
  const claim = () => claims.claim(() => ({ names: ['once'], busy: [], now: project.id }));
  const claimed = await Promise.all(Array.from({ length: 8 }, claim));
  const works = claimed.flatMap((each) => each ?? []);
  expect(works).toHaveLength(1);
  for (const work of works) await claims.release(work);
  const again = await claim();
  expect(again?.id).toBe(works[0]?.id);
  if (again) await claims.drop(again);
  expect(await claim()).toBeUndefined();
});

it.each([
  [5, 400, 'body.not_object'],
  [{}, 400, 'parameter.required'],
  [{ kind_id: 'job', function: 'notes', tick: 1 }, 400, 'parameter.unknown'],
  [{ kind_id: 'job', function: 'none' }, 404, 'function.unknown'],
  [{ kind_id: 'job', function: 'plain' }, 404, 'function.unknown'],
  [{ kind_id: 'kind', function: 'notes' }, 404, 'function.unknown'],
  [{ kind_id: '__proto__', function: 'constructor' }, 404, 'function.unknown'],
])('refuses to run %j: %i', async (body, status, code) => {
  const answer = await project.post('/function/run', body);
  expect([answer.status, answer.body.messages[0]?.code]).toEqual([status, code]);
});

it('says what a mistyped name may be', async () => {
  const { body } = await project.post('/function/run', { kind_id: 'job', function: 'note' });
  expect(body.messages[0]?.text).toBe("No scheduled function 'note' of the kind 'job' (did you mean 'notes'?)");
});

it('is called by nobody, unless it has access of its own, and is listed for administrators', async () => {
  expect((await project.get('/job/function/notes')).status).toBe(403);
  expect(await ok(anonymous(project).get('/job/function/open'))).toBeNull();
  const { held } = await documented({ held: project });
  const { items } = (await ok(held.get('/function'))) as { items: { name: string; next_at: string | null }[] };
  const of = (name: string) => items.find((each) => each.name === name);
  expect(of('notes')).toMatchObject({ access: 'nobody', schedule: { cron: '* * * * *', timezone: 'UTC' } });
  minute(of('notes')?.next_at ?? '');
  expect(of('yearly')).toMatchObject({ schedule: { timezone: 'Europe/Rome' } });
  expect(of('yearly')?.next_at).toMatch(/-12-31T23:00:00\.000000Z$/);
  expect(of('plain')).toMatchObject({ schedule: null, next_at: null });
  const listed = (await ok(anonymous(project).get('/function'))) as { items: object[] };
  expect(listed.items).toMatchObject([{ name: 'open', schedule: null, next_at: null }]);
});

it('runs the latest missed tick of a day once, and none that is older', async () => {
  // The tick of this minute has run already.
  await side.rows(`DELETE FROM "project_${project.id}"."_run" WHERE function = 'notes'`);
  await makeDue('notes', '23 hours');
  await vi.waitFor(async () => {
    await poll();
    expect((await runsOf('notes')).map(({ outcome }) => outcome)).toEqual(['done']);
  });
  const [run] = await runsOf('notes');
  expect(Date.now() - Date.parse(run?.tick ?? '')).toBeLessThan(65_000);
  const yearly = (await runsOf('yearly')).length;
  await makeDue('yearly', '30 hours');
  await vi.waitFor(async () => {
    await poll();
    expect((await workOf('yearly'))?.later).toBe(true);
  });
  expect(await runsOf('yearly')).toHaveLength(yearly);
});

it('does not run in a project whose background is off', async () => {
  await side.rows(`UPDATE kind.project SET settings = settings || '{"background": false}' WHERE id = $1`, [project.id]);
  await side.rows(`SELECT pg_notify('kind_project', $1)`, [project.id]);
  const before = (await runsOf('notes')).length;
  await makeDue('notes');
  await poll();
  await poll();
  expect(await runsOf('notes')).toHaveLength(before);
  await vi.waitFor(async () => {
    const refused = await project.post('/function/run', { kind_id: 'job', function: 'notes' });
    expect([refused.status, refused.body.messages[0]?.code]).toEqual([409, 'project.background']);
    const { items } = (await ok(project.get('/function'))) as { items: { next_at: string | null }[] };
    expect(items.every(({ next_at: at }) => at === null)).toBe(true);
  });
  await ok(project.put('/kind/unit/job', { active: false }));
  const inactive = await project.post('/function/run', { kind_id: 'job', function: 'notes' });
  expect([inactive.status, inactive.body.messages[0]?.code]).toEqual([403, 'kind.inactive']);
  await ok(project.put('/kind/unit/job', { active: true }));
  // What was due meanwhile is forgotten with the next look at all projects.
  await vi.waitFor(async () => {
    await look();
    expect(await workOf('notes')).toBeUndefined();
  });
  await side.rows(`UPDATE kind.project SET settings = settings - 'background' WHERE id = $1`, [project.id]);
  await side.rows(`SELECT pg_notify('kind_project', $1)`, [project.id]);
  await vi.waitFor(async () => {
    await look();
    expect((await workOf('notes'))?.later).toBe(true);
  });
});

it('is lost with its process, runs again in another one, and stores nothing twice', async () => {
  const waited = (await namesOf()).filter((name) => name === 'waited').length;
  await side.rows(`DELETE FROM "project_${project.id}"."_run" WHERE function = 'waits'`);
  await makeDue('waits');
  await vi.waitFor(async () => {
    await poll();
    expect(await runsOf('waits')).toMatchObject([{ outcome: 'running' }]);
  });
  const holder = (await workOf('waits'))?.holder;
  expect(services.map(({ service }) => service.database.serviceId)).toContain(holder);
  // As if it had not reported for a minute.
  await side.rows(`UPDATE kind.service SET seen_at = now() - interval '1 minute' WHERE id = $1`, [holder]);
  await vi.waitFor(async () => {
    const other = services.find(({ service }) => service.database.serviceId !== holder);
    await other?.service.app.get(Schedules).poll();
    const runs = await runsOf('waits');
    expect(runs.map(({ outcome }) => outcome).toSorted()).toEqual(['lost', 'running']);
    expect(new Set(runs.map(({ tick }) => tick)).size).toBe(1);
  });
  expect((await workOf('waits'))?.holder).not.toBe(holder);
  // Both come to their end now: what was taken for dead was only slow.
  openGate('waits');
  await vi.waitFor(async () => {
    // A tick that came meanwhile was skipped.
    const ended = (await runsOf('waits')).filter(({ outcome }) => outcome !== 'skipped');
    expect(ended.map(({ outcome }) => outcome).toSorted()).toEqual(['done', 'lost']);
    expect(await workOf('waits')).toMatchObject({ holder: null, later: true });
  });
  expect((await namesOf()).filter((name) => name === 'waited')).toHaveLength(waited + 1);
});

it('ends with what it is declared in: at most fifty of a project, and nothing of what is gone', async () => {
  const many = Array.from(
    { length: 51 },
    (_, at) => `f${at}: job.function({ description: 'x', schedule: '0 0 1 1 *', run: () => 1 })`,
  );
  await deploy(
    `import { kind } from 'kind';\nconst job = kind('job');\nexport default job.module({ functions: {\n${many.join(',\n')} } });`,
  );
  await look();
  const { items, modules } = (await ok(project.get('/function'))) as {
    items: { name: string; next_at: string | null }[];
    modules: { faults: object[] }[];
  };
  expect(items.filter(({ next_at: at }) => at === null).map(({ name }) => name)).toEqual(['f50']);
  const text = 'functions.f50.schedule: a project has at most 50 scheduled functions: it does not run';
  expect(modules[0]?.faults).toEqual([{ file: `${project.id}/job.ts`, line: 54, text }]);
  expect([await workOf('f49'), await workOf('f50')]).toMatchObject([{ later: true }, undefined]);
  await ok(project.put('/kind/unit/job', { active: false }));
  await look();
  await vi.waitFor(async () => expect(await workOf('f49')).toBeUndefined());
  await ok(project.put('/kind/unit/job', { active: true }));
});

it.each([
  [`schedule: '@daily'`, "functions.a.schedule: '@daily' wants five fields"],
  [`schedule: '* * * * * *'`, "'* * * * * *' wants five fields"],
  [`schedule: '61 * * * *'`, 'Invalid value for minute: 61'],
  [`schedule: { cron: '* * * * *', timezone: 'Rome' }`, "functions.a.schedule: no time zone 'Rome'"],
  [`schedule: { cron: '* * * * *', zone: 'UTC' }`, "functions.a.schedule: no 'zone'"],
  [`schedule: 5`, 'functions.a.schedule: must be a text of five fields'],
  [
    `schedule: '* * * * *', parameters: { x: { type: 'string', required: true } }`,
    'functions.a.parameters.x: is required',
  ],
  [`schedule: '* * * * *', timeout: 600001`, 'functions.a.timeout: of a schedule, wants at most 600000'],
])('is a fault of the module: %s', async (declared, text) => {
  await deploy(
    `import { kind } from 'kind';\nconst job = kind('job');\nexport default job.module({ functions: {\n a: job.function({ description: 'x', run: () => 1, ${declared} }) } });`,
  );
  const { modules } = (await ok(project.get('/function'))) as {
    modules: { faults: { line: number; text: string }[] }[];
  };
  expect(modules[0]?.faults).toMatchObject([{ line: 4, text: expect.stringContaining(text) as string }]);
});

it('is a fault on a function of a unit', async () => {
  await deploy(
    `import { kind } from 'kind';\nconst job = kind('job');\nexport default job.module({ unitFunctions: { a: job.unitFunction({ description: 'x', schedule: '* * * * *', run: () => 1 }) } });`,
  );
  const { modules } = (await ok(project.get('/function'))) as { modules: { faults: { text: string }[] }[] };
  expect(modules[0]?.faults).toMatchObject([{ text: expect.stringContaining("no 'schedule'") as string }]);
});
