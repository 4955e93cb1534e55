/**
 * A project has a limited number of places for requests; requests that wait for something other than the database hold
 * none.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it, vi } from 'vitest';
import { LIMITS } from '../../../src/shared/limits.js';
import { defineKinds } from '../../support/callers.js';
import { refusalOf } from '../../support/definitions.js';
import { lowerLimit } from '../../support/limits.js';
import { startTestService, type Reply } from '../../support/service.js';
import { sideConnection } from '../../support/side-connection.js';

// A service reads it when it starts.
lowerLimit('changesWaiting', 40);
const service = await startTestService({ databasePool: 3, bodyLimitUnits: 1000 });
const project = await service.project();
await defineKinds(project, { id: 'note', label: 'Note', parameters: [{ id: 'text', kind_id: 'text' }] });
const side = await sideConnection();
/** That of a change of definitions. */
const lock = `SELECT pg_advisory_xact_lock(hashtextextended('project_${project.id}', 7))`;

it('a body that has not arrived yet', async () => {
  const { hostname, port } = new URL(service.service.url);
  const sockets = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const socket = connect(Number(port), hostname);
      await once(socket, 'connect');
      socket.write(
        `POST /api/lib/note/unit HTTP/1.1\r\nhost: x\r\nkind-project-key: ${project.id}\r\nauthorization: Bearer ${project.token ?? ''}\r\ncontent-type: application/json\r\ncontent-length: 12\r\n\r\n{"text"`,
      );
      return socket;
    }),
  );
  const replies = await Promise.all(Array.from({ length: 10 }, () => project.get('/note/unit')));
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
  const answers = sockets.map(async (socket) => {
    socket.write(':"a"}');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    return answer.toString().slice(0, 12);
  });
  expect(new Set(await Promise.all(answers))).toEqual(new Set(['HTTP/1.1 200']));
});

it('the check of a write, before its body is read', async () => {
  const release = await side.holding(project, `LOCK TABLE "project_${project.id}"."note"`);
  const reads = Array.from({ length: 10 }, () => project.get('/note/unit'));
  await side.blocked();
  const refused = await project.post('/note/unit', { text: 'x'.repeat(1000) });
  await release();
  expect(refusalOf(refused)).toEqual({ status: 413, messages: ['body.too_large'] });
  expect((await Promise.all(reads)).map(({ status }) => status)).toEqual(reads.map(() => 200));
});

it('a change of definitions whose turn has not come', async () => {
  const release = await side.holding(project, lock);
  const ids = Array.from({ length: 10 }, (_, at) => `kind${at}`);
  const changes = ids.map((id) => project.post('/kind/unit', { id, label: id }));
  await side.blocked();
  const replies = await Promise.all(Array.from({ length: 10 }, () => project.get('/note/unit')));
  await release();
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
  expect((await Promise.all(changes)).map(({ status }) => status)).toEqual(changes.map(() => 200));
});

it(
  'a limited number of changes of definitions wait, and the others are told to retry',
  { timeout: 60_000 },
  async () => {
    const release = await side.holding(project, lock);
    const beyond = 9;
    const replies: Reply[] = [];
    // Refused when their turn comes: none of them makes a table.
    const changes = Array.from({ length: 1 + LIMITS.changesWaiting + beyond }, async () => {
      replies.push(await project.post('/kind/unit', { id: 'Bad' }));
    });
    await vi.waitUntil(() => replies.length === beyond, { timeout: 40_000 });
    for (const reply of replies) {
      expect(refusalOf(reply)).toEqual({ status: 503, messages: ['server.busy'] });
      expect(reply.headers.get('retry-after')).toBe('5');
    }
    await release();
    await Promise.all(changes);
    expect(new Set(replies.slice(beyond).map(({ status }) => status))).toEqual(new Set([400]));
  },
);
