/** The largest structs and API documents of one project hold up nobody else. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { LIMITS } from '../../src/shared/limits.js';
import { defineKinds } from '../support/callers.js';
import { defineMany } from '../support/large-model.js';
import { beside } from '../support/neighbour.js';
import { sharedService } from '../support/service.js';
import { defineWide } from '../support/wide-kind.js';

const service = await sharedService();

it('structs of the largest allowed size, and beyond it, do not block other requests', async () => {
  const [project, quiet] = [await service.project(), await service.project()];
  const { ids } = await defineWide(project);
  const asked = Array.from({ length: 12 }, (_, n) => `/wide/struct?${n % 2 ? `limit=${ids.length - 2}` : ''}`);
  const anonymous = project.as(undefined);
  const { result, held } = await beside(quiet, '/kind/unit/string', () =>
    Promise.all(asked.map((path) => anonymous.get(path))),
  );
  expect(result.map(({ status }) => status)).toEqual(asked.map((_, n) => (n % 2 ? 200 : 400)));
  expect(held).toBeLessThan(1000);
});

it('others are served while a large API document is built', { timeout: 120_000 }, async () => {
  const [large, quiet] = [await service.project(), await service.project()];
  await defineKinds(quiet, { id: 'city' });
  await defineMany(large, 75, 395);
  // The model is loaded before: that is not what is measured.
  await large.get('/large_1/struct?include=shared_1');
  // The head alone: to read so much would hold the service up, which is in this process.
  const head = () =>
    fetch(`${large.service.url}/api/lib/doc/openapi.json`, {
      method: 'HEAD',
      headers: {
        'kind-project-key': large.id,
        authorization: `Bearer ${large.token ?? ''}`,
        'accept-encoding': 'identity',
      },
    });
  let made = false;
  const making = Promise.all(Array.from({ length: 5 }, head)).finally(() => (made = true));
  const waits: number[] = [];
  while (!made) {
    const began = performance.now();
    expect((await quiet.get('/city/unit')).status).toBe(200);
    waits.push(performance.now() - began);
    await pause(5);
  }
  expect((await making).map(({ status }) => status)).toEqual(Array(5).fill(200));
  const { text } = await large.get('/doc/openapi.json');
  expect(Buffer.byteLength(text)).toBeGreaterThan(LIMITS.documentBytes / 2);
  const sorted = waits.sort((a, b) => a - b);
  expect(sorted.length).toBeGreaterThan(10);
  expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThan(500);
  expect(sorted.at(-1)).toBeLessThan(2000);
});
