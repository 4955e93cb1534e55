/** When cursors of changes are no longer valid, and how processes tell each other of changes. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CHANGE_CHANNEL } from '../../../src/changes/change-notices.js';
import { FeedGeneration } from '../../../src/changes/feed-generation.js';
import { defineKinds } from '../../support/callers.js';
import { commandsOn } from '../../support/command-line.js';
import { ok, query } from '../../support/definitions.js';
import { follow } from '../../support/live.js';
import { ownDatabase, startServiceOn } from '../../support/own-database.js';
import { observeStatements } from '../../support/sent-statements.js';
import { filesOfRun, TestProject } from '../../support/service.js';

const connection = await ownDatabase();
const service = await startServiceOn(connection);
const other = await startServiceOn(connection);
const project = await service.project();
const elsewhere = new TestProject(other.service, project.id, project.token);
await defineKinds(project, { id: 'task', changes: 'feed', parameters: [{ id: 'title', kind_id: 'string' }] });

const kind = commandsOn(connection, filesOfRun());

const cursor = async (of = project) => ((await ok(of.get('/changes?kinds=[task]'))) as { next: string }).next;
const statusOf = async (since: string, of = project) => (await of.get(`/changes?kinds=[task]&since=${since}`)).status;

it('`feed reset` lets the readers of a project, or of all, begin anew, and live lists read their pages again', async () => {
  const neighbour = await service.project();
  await defineKinds(neighbour, { id: 'task', changes: 'feed', parameters: [] });
  const [before, besides] = [await cursor(), await cursor(neighbour)];
  const live = await follow(elsewhere, { tasks: '/task/unit' });
  expect(await kind('feed', 'reset', project.id)).toMatchObject({
    code: 0,
    out: 'The readers of 1 project begin anew.\n',
  });
  expect([await statusOf(before), await statusOf(besides, neighbour)]).toEqual([410, 200]);
  expect(await statusOf(await cursor())).toBe(200);
  await ok(project.post('/task/unit', { title: 'after' }));
  await live.until(() => live.events.filter(({ event }) => event === 'page').length === 2);
  expect((await kind('feed', 'reset', '--all', '--json')).out).toContain(neighbour.id);
  expect(await statusOf(besides, neighbour)).toBe(410);
  expect((await kind('feed', 'reset')).err).toContain("or give '--all'");
  expect((await kind('feed', 'reset', 'nobody')).err).toContain("No project 'nobody'");
  live.close();
});

it('another timeline of PostgreSQL ends the cursors of all processes', async () => {
  const before = await cursor();
  expect(await statusOf(before, elsewhere)).toBe(200);
  await query(project, 'UPDATE kind.feed SET timeline = timeline - 1');
  for (const { app } of [service.service, other.service]) app.get(FeedGeneration).forget();
  expect([await statusOf(before), await statusOf(before, elsewhere)]).toEqual([410, 410]);
  const after = await cursor();
  for (const { app } of [service.service, other.service]) app.get(FeedGeneration).forget();
  expect([await statusOf(after), await statusOf(after, elsewhere)]).toEqual([200, 200]);
});

it('a project that is restored has another feed', async () => {
  const before = await cursor();
  const file = join(mkdtempSync(join(tmpdir(), 'kind-feed-')), 'backup');
  expect((await kind('project', 'backup', project.id, file)).code).toBe(0);
  const copy = `${project.id}_copy`;
  expect((await kind('project', 'restore', file, '--as', copy)).code).toBe(0);
  const restored = await service.signIn(copy);
  expect(await statusOf(before, restored)).toBe(410);
  expect(await statusOf(await cursor(restored), restored)).toBe(200);
});

it('a process tells others of many commits at most twenty times a second, and those who wait hear it', async () => {
  let told = 0;
  const stop = observeStatements(service.service.database, ({ values }) => {
    if (values[0] === CHANGE_CHANNEL) told += 1;
  });
  const live = await follow(elsewhere, { tasks: '/task/unit?limit=0' });
  const delays: number[] = [];
  for (let n = 0; n < 5; n++) {
    await new Promise((resolve) => setTimeout(resolve, 250));
    const [began, from] = [performance.now(), live.events.length];
    await ok(project.post('/task/unit', { title: 'heard' }));
    await live.next('insert', from);
    delays.push(performance.now() - began);
  }
  expect(delays.sort((a, b) => a - b)[2]).toBeLessThan(700);
  told = 0;
  const began = performance.now();
  await Promise.all(Array.from({ length: 200 }, () => ok(project.post('/task/unit', { title: 'many' }))));
  const seconds = (performance.now() - began) / 1000;
  await live.until(() => live.lists.get('tasks')?.size === 205);
  expect(told).toBeGreaterThan(0);
  expect(told).toBeLessThanOrEqual(20 * (seconds + 0.5));
  stop();
  live.close();
});
