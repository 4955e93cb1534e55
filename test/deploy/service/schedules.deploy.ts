/** Runs of processes that are killed or stopped go on in others. */
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { FunctionsFolder } from '../../support/functions.js';
import { ownDatabase } from '../../support/own-database.js';
import { sideConnection } from '../../support/side-connection.js';
import { DemoAdmin, type ServiceChild } from './child.js';

const folder = new FunctionsFolder();
const [started, go] = [join(folder.path, '_started'), join(folder.path, '_go')];
folder.write(
  'job.ts',
  `
  import { existsSync, writeFileSync } from 'node:fs';
  import { setTimeout as delay } from 'node:timers/promises';
  import { kind } from 'kind';
  const job = kind('job');
  const waits = job.function({
    description: 'Waits',
    schedule: '0 0 1 1 *',
    async run({ system, tick, signal }) {
      await system.units('job').create({ name: tick });
      writeFileSync(${JSON.stringify(started)}, String(process.pid));
      while (!existsSync(${JSON.stringify(go)})) await delay(20, undefined, { signal });
    },
  });
  export default job.module({ functions: { waits } });`,
);
const connection = await ownDatabase();
const side = await sideConnection(connection);
const admin = new DemoAdmin(connection, {
  WORKERS: '2',
  FUNCTIONS_DIR: folder.path,
});
const outcomes = async (service: ServiceChild) => {
  const { items } = (await admin.send(service, '/function/run')) as { items: { outcome: string; tick: string }[] };
  return {
    outcomes: items.map(({ outcome }) => outcome).toSorted(),
    ticks: new Set(items.map(({ tick }) => tick)).size,
  };
};
const units = async (service: ServiceChild) => ((await admin.send(service, '/job/unit')) as { count: number }).count;

let service = await admin.start();

it('of a process that was killed, in another one of the same port', { timeout: 60_000 }, async () => {
  await admin.signIn(service);
  await admin.send(service, '/kind/unit', { id: 'job', parameters: [{ id: 'name', kind_id: 'string' }] });
  await admin.send(service, '/function/run', { kind_id: 'job', function: 'waits' });
  await vi.waitFor(() => expect(existsSync(started)).toBe(true), 10_000);
  const killed = Number(readFileSync(started, 'utf8'));
  process.kill(killed, 'SIGKILL');
  expect(await side.rows('SELECT outcome FROM project_demo._run')).toEqual([{ outcome: 'running' }]);
  // Half a minute later, nobody has heard of it.
  const silent = `UPDATE kind.service SET seen_at = now() - interval '31 seconds' WHERE pid = $1 RETURNING pid`;
  expect(await side.rows(silent, [killed])).toHaveLength(1);
  writeFileSync(go, '');
  await vi.waitFor(async () => {
    expect(await outcomes(service)).toEqual({ outcomes: ['done', 'lost'], ticks: 1 });
  }, 20_000);
  expect(await units(service)).toBe(1);
});

it('of a service that was stopped, in the next one', { timeout: 60_000 }, async () => {
  for (const file of [started, go]) rmSync(file);
  await admin.send(service, '/function/run', { kind_id: 'job', function: 'waits' });
  await vi.waitFor(() => expect(existsSync(started)).toBe(true), 10_000);
  const gone = once(service.process, 'exit');
  service.process.kill('SIGTERM');
  expect(await gone).toEqual([0, null]);
  const [work] = await side.rows(`SELECT holder, due_at <= now() AS due FROM kind.work WHERE name = 'job.waits'`);
  expect(work).toEqual({ holder: null, due: true });
  const lost = await side.rows(`SELECT outcome FROM project_demo._run ORDER BY started_at DESC LIMIT 1`);
  expect(lost).toEqual([{ outcome: 'lost' }]);
  writeFileSync(go, '');
  service = await admin.start();
  await vi.waitFor(async () => {
    expect(await outcomes(service)).toEqual({ outcomes: ['done', 'done', 'lost', 'lost'], ticks: 2 });
  }, 20_000);
  expect(await units(service)).toBe(2);
});
