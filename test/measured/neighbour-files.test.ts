/**
 * Contents of one project keep no other one waiting: as many uploads and downloads as it may have at once, readers that
 * do not read, and sizes of the largest pictures. The clients are processes of their own.
 */
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { LIMITS } from '../../src/shared/limits.js';
import { atEnd } from '../support/at-end.js';
import { ok } from '../support/definitions.js';
import { beside, quietNote } from '../support/neighbour.js';
import { pngOf } from '../support/pictures.js';
import { sharedService } from '../support/service.js';

const run = promisify(execFile);
const MB = 1024 * 1024;
/** Milliseconds for which the quiet project may wait, and the event loop be held. */
const BOUND = 1000;
/** Megabytes that the process may take meanwhile, beside what it has: a few for each upload, and what a reader leaves. */
const MOST = 200;
const BYTES = 90 * MB;

const folder = mkdtempSync(join(tmpdir(), 'kind-neighbour-'));
atEnd(() => rm(folder, { recursive: true }));
const service = await sharedService();
const loud = await service.project();
const quiet = await service.project();
const note = await quietNote(quiet);
const api = `${service.service.url}/api/lib`;
const headers = ['-H', `kind-project-key: ${loud.id}`, '-H', `authorization: Bearer ${loud.token ?? ''}`];
const large = join(folder, 'large.bin');
writeFileSync(large, randomBytes(BYTES));

/** Runs curl; what it says of the status. */
async function curl(...args: string[]): Promise<string> {
  const { stdout } = await run('curl', ['-s', '-w', '\n%{http_code}', ...headers, ...args], { maxBuffer: 10 * MB });
  return stdout;
}

/** Megabytes that this process has more while something goes on. */
async function grownDuring<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly grown: number }> {
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 20);
  try {
    return { result: await work(), grown: (most - before) / MB };
  } finally {
    clearInterval(timer);
  }
}

async function quietly<T>(work: () => Promise<T>): Promise<T> {
  const { result, grown } = await grownDuring(() => beside(quiet, note, work));
  expect(Math.max(...result.waits)).toBeLessThan(BOUND);
  expect(result.held).toBeLessThan(BOUND);
  expect(grown).toBeLessThan(MOST);
  return result.result;
}

const upload = (name: string) => curl('-T', large, '-X', 'POST', `${api}/file/unit?name=${name}`);
const made = /"id":"([^"]+)"/;

it('uploads and downloads, as many at once as a project may have', { timeout: 300_000 }, async () => {
  const answers = await quietly(() =>
    Promise.all(Array.from({ length: LIMITS.uploadsPerProject }, (_, at) => upload(`${at}.bin`))),
  );
  expect(answers.map((answer) => answer.slice(-3))).toEqual(Array(LIMITS.uploadsPerProject).fill('200'));
  const ids = answers.map((answer) => made.exec(answer)?.[1] ?? '');
  const read = await quietly(() =>
    Promise.all([...ids, ...ids].map((id) => curl('-o', '/dev/null', `${api}/file/unit/${id}/content`))),
  );
  expect(read.map((answer) => answer.trim())).toEqual(Array(2 * ids.length).fill('200'));
});

it('readers that do not read', { timeout: 300_000 }, async () => {
  const id = made.exec(await upload('slow.bin'))?.[1] ?? '';
  const readers = Array.from({ length: 40 }, () =>
    spawn('curl', ['-s', '--limit-rate', '1k', '-o', '/dev/null', ...headers, `${api}/file/unit/${id}/content`]),
  );
  await quietly(() => new Promise((resolve) => setTimeout(resolve, 3000)));
  for (const reader of readers) reader.kill();
});

it('sizes of the largest pictures', { timeout: 300_000 }, async () => {
  const { id } = (await ok(
    loud.call('POST', '/file/unit?name=large.png', pngOf(7000, 7000), { headers: { 'content-type': 'image/png' } }),
  )) as { id: string };
  const answers = await quietly(() =>
    Promise.all(
      ['thumb', 'small', 'medium', 'large'].flatMap((size) =>
        ['webp', 'jpeg', 'png'].map((format) =>
          curl('-o', '/dev/null', `${api}/file/unit/${id}/content?size=${size}&format=${format}`),
        ),
      ),
    ),
  );
  for (const answer of answers) expect(['200', '503']).toContain(answer.trim());
});
