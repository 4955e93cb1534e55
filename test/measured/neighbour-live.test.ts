/** Five hundred live lists of one project, of members with rights of their own, under fifty edits a second. */
import { request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Waiting } from '../../src/changes/waiting/waiting.js';
import { LIMITS } from '../../src/shared/limits.js';
import { defineKinds, tokensOf } from '../support/callers.js';
import { ok } from '../support/definitions.js';
import { follow } from '../support/live.js';
import { beside, quietNote } from '../support/neighbour.js';
import { startTestService, type TestProject } from '../support/service.js';

const service = await startTestService({ authRateLimit: false });
const quiet = await service.project();
const note = await quietNote(quiet);
const project = await service.project();
const SECONDS = 8;
const EDITS = 50;

await ok(project.post('/kind/unit', { id: 'person' }));
await ok(project.post('/group/unit/kind_auth_member/link/group/kind/unit/person'));
await defineKinds(project, {
  id: 'task',
  changes: 'feed',
  access: { read: ['eq(owner,@member.id)', 'eq(shared,true)'] },
  parameters: [
    { id: 'owner', kind_id: 'string' },
    { id: 'shared', kind_id: 'boolean' },
    { id: 'n', kind_id: 'integer' },
  ],
});

/** Follows the list, and tells which edits arrive. */
async function listen(member: TestProject, arrived: (edit: number) => void): Promise<() => void> {
  const sent = request(`${service.service.url}/api/lib/live`, {
    method: 'POST',
    agent: false,
    headers: {
      'kind-project-key': member.id,
      'content-type': 'application/json',
      authorization: `Bearer ${member.token}`,
    },
  });
  await new Promise<void>((resolve, reject) => {
    sent.once('error', reject).once('response', (response) => {
      if (response.statusCode !== 200) reject(new Error(String(response.statusCode)));
      response.setEncoding('utf8').on('data', (text: string) => {
        if (text.includes('event: end')) throw new Error(text);
        for (const [, n] of text.matchAll(/event: update\n.*"n":(\d+)/g)) arrived(Number(n));
      });
      response.on('error', () => undefined);
      sent.on('error', () => undefined);
      resolve();
    });
    sent.end('{"queries":[{"as":"tasks","path":"/task/unit?order=-n&limit=20"}]}');
  });
  return () => sent.destroy();
}

it('a reader that reads nothing is cut off after a minute', { timeout: 120_000, retry: 0 }, async () => {
  const open = service.service.app.get(Waiting).size;
  const live = await follow(project, { tasks: '/task/unit' });
  live.response.pause();
  for (let n = 0; n < 120; n++) await ok(project.post('/task/unit', { metadata: { text: 'x'.repeat(300_000) } }));
  await pause(40_000);
  expect(service.service.app.get(Waiting).size).toBe(open + 1);
  const began = performance.now();
  while (service.service.app.get(Waiting).size > open && performance.now() - began < 40_000) await pause(500);
  expect(service.service.app.get(Waiting).size).toBe(open);
  await ok(project.delete('/task/unit?filter=isnull(n)'));
});

it('a neighbour is answered as ever, and changes arrive within a moment', { timeout: 120_000 }, async () => {
  const answered = new Map<number, number>();
  const delays: number[] = [];
  const arrived = (edit: number): void => {
    delays.push(performance.now() - (answered.get(edit) ?? performance.now()));
  };
  const tasks: string[] = [];
  const ends: (() => void)[] = [];
  for (let n = 0; ends.length < LIMITS.streamsOfProject; n++) {
    const { id } = (await ok(project.post('/person/unit', { username: `p${n}`, email: `p${n}@example.com` }))) as {
      id: string;
    };
    const member = project.as((await tokensOf(project, 'person', id)).access_token);
    tasks.push(
      ((await ok(project.post('/task/unit', { owner: id, shared: n % 10 === 0, n: 0 }))) as { id: string }).id,
    );
    for (let at = 0; at < LIMITS.streamsOfCaller && ends.length < LIMITS.streamsOfProject; at++) {
      ends.push(await listen(member, arrived));
    }
  }
  const edit = async (n: number): Promise<void> => {
    await ok(project.put(`/task/unit/${tasks[n % tasks.length] ?? ''}`, { n }));
    answered.set(n, performance.now());
  };
  const { waits, held } = await beside(quiet, note, async () => {
    const edits: Promise<void>[] = [];
    for (let n = 1; n <= SECONDS * EDITS; n++) {
      edits.push(edit(n));
      await pause(1000 / EDITS);
    }
    await Promise.all(edits);
    await pause(1000);
  });
  for (const end of ends) end();
  const [half, most] = [0.5, 0.95].map((part) => (values: number[]) => {
    return Math.round([...values].sort((a, b) => a - b)[Math.floor(values.length * part)] ?? 0);
  });
  const figures = {
    events: delays.length,
    half: half?.(delays),
    p95: most?.(delays),
    held: Math.round(held),
    wait: most?.([...waits]),
    longest: Math.round(Math.max(...waits)),
  };
  console.log(figures);
  expect(delays.length).toBeGreaterThan(1000);
  expect(figures.p95).toBeLessThan(1000);
  expect(figures.held).toBeLessThan(300);
  expect(figures.wait).toBeLessThan(100);
});
