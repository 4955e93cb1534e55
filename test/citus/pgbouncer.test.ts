/** PgBouncer in transaction mode between the service and the coordinator (docs/citus.md). */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { defineKinds } from '../support/callers.js';
import { createdId, expectNoDrift, ok, query } from '../support/definitions.js';
import { logLines } from '../support/log-lines.js';
import { ownDatabase, startServiceOn, urlOf } from '../support/own-database.js';
import { pgbouncerVersion, startPgbouncer } from '../support/pgbouncer.js';
import { giveSettings } from '../support/role-settings.js';
import { sideConnection } from '../support/side-connection.js';
import { expectStoredOnce, following, isCitus, NOTES, otherWorker, workerOf, writing } from './places.js';

const version = isCitus ? pgbouncerVersion() : undefined;
if (isCitus && version === undefined)
  console.warn('SKIPPED: PgBouncer before Citus, because pgbouncer is not installed');

describe.skipIf(version === undefined)('PgBouncer before Citus', async () => {
  if (version === undefined) return;
  const direct = await ownDatabase();
  // Another one: the connections that PgBouncer has do not get new settings.
  await giveSettings(direct, { url: await startPgbouncer(urlOf(direct)) });
  const url = await startPgbouncer(urlOf(direct));
  const log = logLines();
  const first = await startServiceOn({ url, directUrl: urlOf(direct) }, {}, log.logger);
  const second = await startServiceOn({ url });

  it('an edit waits for a row on a worker, longer than the lock timeout of the role', async () => {
    const project = await first.project();
    await defineKinds(project, NOTES);
    const id = await createdId(project.post('/note/unit', { label: 'first' }));
    const side = await sideConnection(direct);
    const release = await side.holding(project, `UPDATE note SET label = 'second' WHERE id = '${id}'`);
    const edit = project.put(`/note/unit/${id}`, { label: 'third' });
    await side.blocked();
    await delay(1000);
    await release();
    await ok(edit);
    expect(await ok(project.get(`/note/unit/${id}`))).toMatchObject({ label: 'third' });
  });

  it('projects are on workers, and definitions change and a project moves under writes', async () => {
    expect(log.of().filter((line) => /lacks settings|heard/.test(line))).toEqual([]);
    const project = await first.project();
    await defineKinds(project, NOTES, { id: 'other', parameters: [{ id: 'a', kind_id: 'string' }] });
    const there = await second.signIn(project.id);
    const before = await workerOf(project);
    const followed = await following(there);
    const writers = writing([project, there]);
    for (let n = 0; n < 6; n++) {
      await ok(there.put('/kind/unit/other', { parameters: n % 2 ? ['a'] : ['a', { id: 'b', kind_id: 'integer' }] }));
      await ok(project.put('/kind/unit/note', { label: `Note ${n}` }));
    }
    const { name, port } = await otherWorker(project);
    await query(project, `SELECT citus_schema_move('$schema', $1, $2::int)`, [name, port]);
    await writers.goOn();
    const made = await writers.stop();
    await followed.expectOnce(made);
    expect(before).toBeDefined();
    expect(await workerOf(project)).toEqual({ name, port });
    await expectStoredOnce(project, made);
    expect(await ok(there.get('/note/unit?limit=1'))).toMatchObject({ count: made.length });
    await expectNoDrift(project);
  }, 240_000);
});
