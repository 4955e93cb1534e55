/** Followers of changes: each gets each change once, those of a unit in their order, on one of two services. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, expect, it, vi } from 'vitest';
import { Followers } from '../../../src/changes/follow/followers.js';
import { MOST_ATTEMPTS, type Follower, type Outcome, type Task } from '../../../src/changes/follow/follower.js';
import { defineKinds } from '../../support/callers.js';
import { ok } from '../../support/definitions.js';
import { startTestService, TestProject } from '../../support/service.js';
import { sideConnection } from '../../support/side-connection.js';

const settings = { databasePool: 10, shutdownGrace: 200, shutdownIdle: 0 };
const services = [await startTestService(settings), await startTestService(settings)] as const;
const [one] = services;
const project = await one.project();
const side = await sideConnection();
const schema = `"project_${project.id}"`;

await defineKinds(project, { id: 'task', changes: 'feed', parameters: [{ id: 'title', kind_id: 'string' }] });
await defineKinds(project, { id: 'other', changes: 'feed', parameters: ['title'] });

/** What was run, in its order, with the service. */
const ran: (Task & { readonly service: number })[] = [];
/** What becomes of a task; `done` if it is not said. */
let outcomeOf: (task: Task) => Promise<Outcome> | Outcome = () => done;
const done: Outcome = { type: 'done', report: null };
let isListed = true;
/** How often it was looked for. */
let looks = 0;
/** Whether there is another follower, which cannot do anything. */
let hasBroken = false;
/** When a service knows who is listed. */
let listing: Promise<void> | undefined;
/** The services that know the follower. */
const knowing = new Set([0, 1]);

function follower(service: number): Follower {
  return {
    id: 'test all',
    kinds: ['task'],
    operations: ['create', 'update', 'delete', 'link', 'unlink'],
    since: { ago: 3600_000 },
    atOnce: 4,
    passesOld: true,
    prepare: async () => async (task) => {
      ran.push({ ...task, service });
      return outcomeOf(task);
    },
    reportOfLost: () => ({ code: 'lost' }),
    missed: (counts) => void missed.push(counts),
  };
}
const missed: object[] = [];

const fail = () => Promise.reject(new Error('broken'));

services.forEach(({ service }, at) => {
  service.app.get(Followers).register({
    type: 'test',
    expected: (id) => (id === project.id && knowing.has(at) ? [{ id: 'test all', kind: 'task' }] : []),
    list: async ({ id }) => {
      if (id === project.id) looks += 1;
      const listed = isListed && id === project.id && knowing.has(at) ? [follower(at)] : [];
      if (listed.length > 0 && hasBroken) listed.push({ ...follower(at), id: 'test broken', prepare: fail });
      await listing;
      return listed;
    },
  });
});
afterEach(() => {
  outcomeOf = () => done;
  isListed = true;
  listing = undefined;
  knowing.add(0);
});
afterAll(() => (isListed = false));

const poll = async () => void (await Promise.all(services.map(({ service }) => service.app.get(Followers).poll())));
/** Looks at all projects, which happens twice a minute. */
const look = async () => {
  await side.rows(`UPDATE kind.work SET due_at = now() WHERE type = 'followers'`);
  await poll();
};
/** From now on nothing is done for those who were listed before. */
const lookedAgain = async () => {
  const before = looks;
  await vi.waitFor(async () => {
    // Again where another service has the project, whose turn ends without a look at what is asked for meanwhile.
    await one.service.app.get(Followers).begin(project.id);
    expect(looks).toBeGreaterThan(before);
  });
};
/** Makes next attempts due. */
const due = async () => {
  await side.rows(`UPDATE ${schema}._task SET next_at = now() WHERE next_at IS NOT NULL AND state = 'waiting'`);
  await side.rows(`UPDATE kind.work SET due_at = now() WHERE project = $1 AND type = 'follow'`, [project.id]);
  await poll();
};
const tasks = () => side.rows<Record<string, unknown>>(`SELECT * FROM ${schema}._task ORDER BY seq`);
/** Makes it look as if a service that has gone had begun the task of a unit, once nobody has it. */
const leftBy = (gone: string, unit: string, attempts: number) =>
  vi.waitFor(async () => {
    const text = `UPDATE ${schema}._task SET holder = $1, attempts = $3 WHERE unit = $2 AND holder IS NULL RETURNING 1`;
    expect(await side.rows(text, [gone, unit, attempts])).toHaveLength(1);
  });
const create = async (body: object, kind = 'task') => (await ok(project.post(`/${kind}/unit`, body))) as { id: string };
const changesOf = (unit: string) => ran.filter((task) => task.unit === unit).map(({ operation }) => operation);
const reset = async () => {
  outcomeOf = () => done;
  await vi.waitFor(async () => {
    await due();
    expect((await tasks()).filter(({ state }) => state === 'waiting')).toEqual([]);
  });
  await side.rows(`DELETE FROM ${schema}._task`);
  ran.splice(0);
  // Neither service leaves the project to the other one for what a test has made it miss.
  services.forEach(({ service }) => service.app.get(Followers).refresh());
};

it('gives a follower each change of its kinds, soon after the commit', async () => {
  await create({ title: 'x' }, 'other');
  const { id } = await create({ title: 'a' });
  await ok(project.put(`/task/unit/${id}`, { title: 'b' }));
  await ok(project.delete(`/task/unit/${id}`));
  await vi.waitFor(() => expect(changesOf(id)).toEqual(['create', 'update', 'delete']));
  expect(ran).toHaveLength(3);
  const kept = await vi.waitFor(async () => {
    const all = await tasks();
    expect(all).toMatchObject(Array.from({ length: 3 }, () => ({ state: 'done', attempts: '1' })));
    return all;
  });
  expect(kept[0]).toMatchObject({ follower: 'test all', kind: 'task', unit: id, operation: 'create', holder: null });
  await reset();
});

it('gives each change once, whichever of two services writes and runs, those of a unit in their order', async () => {
  const running = new Map<string, number>();
  let most = 0;
  outcomeOf = async ({ unit }) => {
    running.set(unit, (running.get(unit) ?? 0) + 1);
    most = Math.max(most, running.size);
    expect(running.get(unit)).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 2));
    running.delete(unit);
    return done;
  };
  const both = [project, new TestProject(services[1].service, project.id, project.token)];
  const units = await Promise.all(Array.from({ length: 6 }, (_, at) => create({ title: `u${at}` })));
  await Promise.all(
    units.map(async ({ id }, at) => {
      for (let turn = 0; turn < 15; turn += 1) {
        await ok((both[(at + turn) % 2] ?? project).put(`/task/unit/${id}`, { title: `t${turn}` }));
      }
    }),
  );
  await vi.waitFor(() => expect(ran).toHaveLength(6 * 16));
  for (const { id } of units) {
    const versions = ran.filter(({ unit }) => unit === id).map(({ version }) => version);
    expect(versions).toEqual(versions.toSorted());
    expect(new Set(versions).size).toBe(16);
  }
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(4);
  await reset();
});

it('a unit that takes its time keeps no other one waiting, but its own later changes', async () => {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  let slow: string | undefined;
  outcomeOf = async ({ unit }) => {
    slow ??= unit;
    if (unit === slow) await opened;
    return done;
  };
  const { id } = await create({ title: 'slow' });
  await vi.waitFor(() => expect(changesOf(id)).toEqual(['create']));
  for (let at = 1; at <= 10; at += 1) {
    if (at === 5) await ok(project.put(`/task/unit/${id}`, { title: 'later' }));
    await create({ title: `other${at}` });
    await vi.waitFor(() => expect(ran).toHaveLength(1 + at));
  }
  expect(changesOf(id)).toEqual(['create']);
  open();
  await vi.waitFor(() => expect(changesOf(id)).toEqual(['create', 'update']));
  await reset();
});

it('a follower that fails altogether leaves the others of its project alone', async () => {
  hasBroken = true;
  for (const title of ['a', 'b']) {
    const { id } = await create({ title });
    await vi.waitFor(() => expect(changesOf(id)).toEqual(['create']), { timeout: 5000 });
  }
  hasBroken = false;
  await lookedAgain();
  await side.rows(`DELETE FROM ${schema}._task WHERE follower = 'test broken'`);
  await side.rows(`DELETE FROM ${schema}._follower WHERE id = 'test broken'`);
  await reset();
});

it('tries ten times, holds back the later changes of the unit alone, and goes on after the tenth', async () => {
  const poison = await create({ title: 'poison' });
  await vi.waitFor(() => expect(ran).toHaveLength(1));
  await reset();
  outcomeOf = ({ unit, operation, attempts }) =>
    unit === poison.id && operation === 'update' && attempts < 20
      ? { type: 'failed', report: { code: 'no', attempts } }
      : done;
  await ok(project.put(`/task/unit/${poison.id}`, { title: 'x' }));
  await ok(project.delete(`/task/unit/${poison.id}`));
  const other = await create({ title: 'other' });
  await vi.waitFor(() => expect(changesOf(other.id)).toEqual(['create']));
  for (let attempt = 1; attempt < MOST_ATTEMPTS; attempt += 1) {
    await vi.waitFor(async () => {
      expect((await tasks())[0]).toMatchObject({ state: 'waiting', attempts: String(attempt) });
    });
    const [row] = await side.rows<{ seconds: number }>(
      `SELECT extract(epoch FROM next_at - now())::float8 AS seconds FROM ${schema}._task WHERE attempts = $1 AND state = 'waiting'`,
      [attempt],
    );
    const delay = [1, 5, 30, 120, 600, 1800, 3600, 7200, 14400][attempt - 1] ?? 0;
    expect(row?.seconds).toBeGreaterThan(delay * 0.9 - 5);
    expect(row?.seconds).toBeLessThan(delay * 1.1);
    expect(changesOf(poison.id)).not.toContain('delete');
    await due();
  }
  await vi.waitFor(() => expect(changesOf(poison.id).at(-1)).toBe('delete'));
  expect(changesOf(poison.id)).toEqual([...Array<string>(MOST_ATTEMPTS).fill('update'), 'delete']);
  const [failed] = await tasks();
  expect(failed).toMatchObject({ state: 'failed', attempts: '10', report: { code: 'no', attempts: 9 }, next_at: null });
  await reset();
});

it('counts the attempt of a service that is gone, and no other', async () => {
  const gone = randomUUID();
  outcomeOf = () => ({ type: 'paused' });
  const first = await create({ title: 'first' });
  const second = await create({ title: 'second' });
  await vi.waitFor(async () => expect(await tasks()).toHaveLength(2));
  await leftBy(gone, first.id, 0);
  ran.splice(0);
  outcomeOf = () => done;
  await vi.waitFor(async () => {
    await due();
    expect(ran.map(({ unit, attempts }) => [unit, attempts])).toEqual(
      expect.arrayContaining([
        [first.id, 1],
        [second.id, 0],
      ]),
    );
  });
  await reset();
});

it('fails a change whose services have died ten times', async () => {
  outcomeOf = () => ({ type: 'paused' });
  const { id } = await create({ title: 'deadly' });
  await leftBy(randomUUID(), id, 9);
  outcomeOf = () => done;
  ran.splice(0);
  await vi.waitFor(async () => {
    await due();
    expect(await tasks()).toMatchObject([{ state: 'failed', attempts: '10', report: { code: 'lost' } }]);
  });
  expect(ran).toEqual([]);
  await reset();
});

it('goes on in another service when the one that has the project is gone, and finds what it left', async () => {
  const text = `UPDATE kind.work SET holder = $2, due_at = now() WHERE project = $1 AND type = 'follow'`;
  await side.rows(`INSERT INTO kind.service (id, host, pid, seen_at) VALUES ($1, 'gone', 1, now())`, [GONE]);
  await side.rows(text, [project.id, GONE]);
  const { id } = await create({ title: 'left' });
  await poll();
  expect(ran).toEqual([]);
  await side.rows(`UPDATE kind.service SET seen_at = now() - interval '1 minute' WHERE id = $1`, [GONE]);
  await vi.waitFor(async () => {
    await poll();
    expect(changesOf(id)).toEqual(['create']);
  });
  await side.rows(`DELETE FROM kind.service WHERE id = $1`, [GONE]);
  await reset();
});
const GONE = randomUUID();

it('is left to a service that knows it', async () => {
  knowing.delete(0);
  const { id } = await create({ title: 'of two alone' });
  await vi.waitFor(async () => {
    await poll();
    expect(changesOf(id)).toEqual(['create']);
  });
  expect(ran.map(({ service }) => service)).toEqual([1]);
  knowing.add(0);
  await reset();
});

it('gets what was written while a turn that knew nothing of it had the project', async () => {
  knowing.delete(0);
  isListed = false;
  let open = (): void => undefined;
  listing = new Promise((resolve) => (open = resolve));
  await services[1].service.app.get(Followers).begin(project.id);
  await vi.waitFor(async () => {
    const held = `SELECT 1 FROM kind.work WHERE project = $1 AND type = 'follow' AND holder IS NOT NULL`;
    expect(await side.rows(held, [project.id])).toHaveLength(1);
  });
  isListed = true;
  const { id } = await create({ title: 'meanwhile' });
  listing = undefined;
  open();
  // At the latest when what is due is looked for the next time.
  await vi.waitFor(() => expect(changesOf(id)).toEqual(['create']), { timeout: 5000 });
  await reset();
});

it('passes over what is older than a day, if it comes back after an hour', async () => {
  isListed = false;
  await lookedAgain();
  await create({ title: 'old' });
  const { id } = await create({ title: 'new' });
  await look();
  await vi.waitFor(async () => {
    const moved = await side.rows(
      `UPDATE ${schema}._change SET version = version - 90000000000
       WHERE seq = (SELECT max(seq) FROM ${schema}._change WHERE kind = 'task' AND unit <> $1) RETURNING 1`,
      [id],
    );
    expect(moved).toHaveLength(1);
    expect(await side.rows(`SELECT 1 FROM ${schema}._change WHERE unit = $1`, [id])).toHaveLength(1);
  });
  await side.rows(`UPDATE ${schema}._follower SET seen_at = now() - interval '2 hours'`);
  isListed = true;
  await vi.waitFor(async () => {
    await one.service.app.get(Followers).begin(project.id);
    expect(ran.map(({ unit }) => unit)).toEqual([id]);
  });
  expect(missed).toEqual([{ passed: 1, lost: 0 }]);
  await reset();
});

it('takes at most a thousand changes, so that what cannot be done costs nothing', async () => {
  outcomeOf = () => ({ type: 'failed', report: null });
  const { id } = await create({ title: 'stuck' });
  await vi.waitFor(async () => expect(await tasks()).toMatchObject([{ attempts: '1' }]));
  await ok(
    project.post('/batch', {
      operations: Array.from({ length: 100 }, (_, at) => ({
        method: 'PUT',
        path: `/task/unit/${id}`,
        body: { title: `b${at}` },
      })),
    }),
  );
  for (let turn = 0; turn < 10; turn += 1) {
    await ok(
      project.post('/batch', {
        operations: Array.from({ length: 100 }, (_, at) => ({
          method: 'PUT',
          path: `/task/unit/${id}`,
          body: { title: `${turn}.${at}` },
        })),
      }),
    );
  }
  await vi.waitFor(async () => {
    await due();
    expect(await tasks()).toHaveLength(1000);
  });
  outcomeOf = () => done;
  await vi.waitFor(async () => {
    await due();
    expect((await tasks()).filter(({ state }) => state === 'done')).toHaveLength(1101);
  });
  await reset();
});
