/**
 * Changes of one project cost others little: of the largest units, of a unit that has changed often, and many that wait
 * for them. What a server process takes to read them is bounded.
 */
import { expect, it } from 'vitest';
import { asMember, defineKinds } from '../support/callers.js';
import { createdId, ok, query } from '../support/definitions.js';
import { peakDuring } from '../support/backends.js';
import { beside, quietNote } from '../support/neighbour.js';
import { ownDatabase, startServiceOn } from '../support/own-database.js';
import { sideConnection } from '../support/side-connection.js';

/** Megabytes that a server process may have. */
const MOST = 256;
/** Milliseconds for which the quiet project may wait, and the event loop be held. */
const BOUND = 2000;
const AT_ONCE = 6;

const database = await ownDatabase();
const service = await startServiceOn(database, { databasePool: 10 });
const side = await sideConnection(database);
const loud = await service.project();
const quiet = await service.project();
const note = await quietNote(quiet);
const RULE = 'or(eq(open,true),eq(owner,@member.id))';
await defineKinds(loud, {
  id: 'task',
  changes: 'history',
  access: { read: RULE, history: RULE },
  parameters: [
    { id: 'data', kind_id: 'json' },
    { id: 'count', kind_id: 'integer' },
    { id: 'open', kind_id: 'boolean' },
    { id: 'owner', kind_id: 'string' },
  ],
});
const member = await asMember(loud);

/** A unit, and so many changes of it, which replace values of so many characters. */
async function changed(times: number, characters: number): Promise<string> {
  const id = await createdId(loud.post('/task/unit', { open: true, data: { text: 'x' } }));
  await ok(loud.get('/changes?kinds=[task]'));
  const values = (count: string) =>
    `jsonb_build_object('count', ${count}, 'data', jsonb_build_object('text', v.text || ${count}))`;
  await query(
    loud,
    `INSERT INTO $schema."_change" ("seq", "outbox", "origin", "operation", "kind", "unit", "version", "before", "after")
      SELECT f."last" + i, 0, '{"via": "api"}', 'update', 'task', '${id}', extract(epoch FROM now())::bigint * 1000000 + i,
        ${values('i')}, ${values('i + 1')}
      FROM generate_series(1, ${times}) AS i, $schema."_feed" AS f,
        (SELECT string_agg(md5(n::text), '') AS text FROM generate_series(1, ${Math.ceil(characters / 32)}) AS n) AS v`,
  );
  await query(loud, `UPDATE $schema."_feed" SET "last" = (SELECT max("seq") FROM $schema."_change")`);
  await query(loud, `ANALYZE $schema."_change"`);
  return id;
}

const start = async (): Promise<string> => ((await ok(loud.get('/changes?kinds=[task]'))) as { next: string }).next;

it.each([
  ['a unit with large values', 100, 1_000_000, 3],
  ['a unit that changed often', 200_000, 10, 1000],
])('the changes of %s keep nobody waiting', { timeout: 300_000 }, async (_, times, characters, limit) => {
  const from = await start();
  const id = await changed(times, characters);
  for (const path of [
    `/changes?kinds=[task]&limit=${limit}&since=${from}`,
    `/task/unit/${id}/history?limit=${limit}`,
  ]) {
    const { result, peak } = await peakDuring(side, () =>
      beside(quiet, note, () => Promise.all(Array.from({ length: AT_ONCE }, () => member.get(path)))),
    );
    // Rules are asked of each version: of so many that takes longer than a statement may.
    expect([200, 503]).toContain(result.result[0]?.status);
    expect(peak).toBeLessThan(MOST);
    expect(Math.max(...result.waits)).toBeLessThan(BOUND);
    expect(result.held).toBeLessThan(BOUND);
  }
});
