/** The temporary files that PostgreSQL writes for two lists of which every pair is a group. */
import { inject } from 'vitest';
import { expect, it } from 'vitest';
import { setTimeout as delay } from 'node:timers/promises';
import { defineKinds } from '../support/callers.js';
import { ok } from '../support/definitions.js';
import { startTestService } from '../support/service.js';
import { sideConnection } from '../support/side-connection.js';

const service = await startTestService();
const project = await service.project();
await defineKinds(project, {
  id: 'note',
  parameters: ['tags', 'marks'].map((id) => ({ id, kind_id: 'string', multiple: true })),
});
const list = (at: number, of: string) => Array.from({ length: 1000 }, (_, n) => `${of} ${at} ${n}`);
for (let at = 0; at < 12; at += 1)
  await ok(project.post('/note/unit', { tags: list(at, 'tag'), marks: list(at, 'mark') }));

const side = await sideConnection(inject('database'));
async function writtenBy(work: () => Promise<unknown>): Promise<number> {
  const read = async () => {
    // Connections tell their statistics once a second.
    await delay(3000);
    const [row] = await side.rows(
      'SELECT temp_bytes::float8 AS bytes FROM pg_stat_database WHERE datname = current_database()',
    );
    return (row as { bytes: number }).bytes;
  };
  const before = await read();
  await work();
  return (await read()) - before;
}

it.each([1, 8])('%i statements at once', { timeout: 120_000 }, async (times) => {
  const ask = async () => {
    const started = performance.now();
    const { status, text } = await project.get('/note/aggregate?group=each(tags),each(marks)&limit=1');
    return `${status} ${text.slice(0, 120)} ${Math.round(performance.now() - started)} ms`;
  };
  let answers: string[] = [];
  const bytes = await writtenBy(async () => {
    answers = await Promise.all(Array.from({ length: times }, ask));
  });
  console.log(`${times} at once: ${Math.round(bytes / 1e6)} MB of temporary files\n${answers.join('\n')}`);
  expect(bytes).toBeLessThan(times * 100e6);
});
