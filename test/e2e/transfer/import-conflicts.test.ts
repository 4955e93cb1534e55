/** An import that conflicts with another transaction, or with a change of definitions, begins again by itself. */
import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { IncomingMessage } from 'node:http';
import { expect, it, vi } from 'vitest';
import { defineKinds } from '../../support/callers.js';
import { ok, query } from '../../support/definitions.js';
import { lowerLimit } from '../../support/limits.js';
import { sharedService, type TestProject } from '../../support/service.js';

const service = await sharedService();
/** As for a file of which not all is received before its transaction begins. */
lowerLimit('importedAhead', 0);

async function projectWithItems(count: number): Promise<TestProject> {
  const project = await service.project();
  await defineKinds(project, {
    id: 'item',
    parameters: [
      { id: 'code', kind_id: 'string', is_primary: true },
      { id: 'n', kind_id: 'integer' },
    ],
  });
  const rows = Array.from({ length: count }, (_, at) => `c${at},0\n`).join('');
  await ok(project.call('POST', '/item/import', `code,n\n${rows}`, { headers: { 'content-type': 'text/csv' } }));
  return project;
}

/** Begins an import, and waits until its first records are written. */
async function beginImport(project: TestProject, query_: string, firstRows: string) {
  const { hostname, port } = new URL(service.service.url);
  const headers = {
    'kind-project-key': project.id,
    authorization: `Bearer ${project.token ?? ''}`,
    'content-type': 'text/csv',
  };
  const sent = request({ hostname, port, method: 'POST', path: `/api/lib/item/import${query_}`, headers });
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  sent.write(`code,n\n${firstRows}`);
  await vi.waitUntil(async () => (await writers(project)) > 0, { timeout: 10_000 });
  return async (lastRows: string) => {
    sent.end(lastRows);
    const [response] = await answered;
    const { content, messages } = JSON.parse(await text(response)) as { content: unknown; messages: unknown };
    return { status: response.statusCode, content, messages };
  };
}

/** Transactions that have written to the kind and not ended. */
async function writers(project: TestProject): Promise<number> {
  const [row] = await query<{ count: number }>(
    project,
    `SELECT count(*)::int AS count FROM pg_locks WHERE relation = '$schema.item'::regclass AND mode = 'RowExclusiveLock'`,
  );
  return row?.count ?? 0;
}

const rows = (from: number, to: number, n: number) =>
  Array.from({ length: to - from }, (_, at) => `c${from + at},${n}\n`).join('');
const upsert = '?on_conflict=update&by=code';

it('of a unit that another request changes meanwhile: the file is the later write', async () => {
  const project = await projectWithItems(300);
  const finish = await beginImport(project, upsert, rows(0, 250, 1));
  await ok(project.put('/item/unit/c280', { n: 5 }));
  const counts = { count: 301, created: 1, updated: 300, unchanged: 0, ignored: 0, failed: 0, errors: [] };
  expect(await finish(rows(250, 301, 1))).toEqual({ status: 200, content: counts, messages: [] });
  expect(await ok(project.get('/item/unit?filter=eq(n,1)&limit=0'))).toMatchObject({ count: 301 });
});

it('of a unit that another request deletes meanwhile: it is created again', async () => {
  const project = await projectWithItems(300);
  const finish = await beginImport(project, upsert, rows(0, 250, 1));
  await ok(project.delete('/item/unit/c290'));
  expect(await finish(rows(250, 300, 1))).toMatchObject({ status: 200, content: { created: 1, updated: 299 } });
});

it('with definitions that change meanwhile: the new ones are obeyed', async () => {
  const project = await projectWithItems(0);
  const finish = await beginImport(project, '', rows(0, 500, 1));
  await ok(project.post('/string/unit', { id: 'unrelated' }));
  expect(await finish(rows(500, 900, 1))).toMatchObject({ status: 200, content: { count: 900, created: 900 } });
  expect(await ok(project.get('/item/unit?limit=0'))).toMatchObject({ count: 900 });
});

it('of two files that write the same units in opposite orders: both are done', async () => {
  const project = await projectWithItems(0);
  const up = await beginImport(project, '?errors=skip', rows(0, 600, 1));
  const down = Array.from({ length: 1200 }, (_, at) => `c${1199 - at},2\n`).join('');
  const other = project.call('POST', '/item/import?errors=skip', `code,n\n${down}`, {
    headers: { 'content-type': 'text/csv' },
  });
  await vi.waitUntil(async () => (await writers(project)) > 1, { timeout: 10_000 });
  const first = await up(rows(600, 1200, 1));
  const second = await other;
  expect([first.status, second.status]).toEqual([200, 200]);
  const created = [first.content, second.body.content].map((content) => (content as { created: number }).created);
  expect(created[0]! + created[1]!).toBe(1200);
  expect(await ok(project.get('/item/unit?limit=0'))).toMatchObject({ count: 1200 });
});
