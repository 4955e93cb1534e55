/** Bodies that never arrive, or not completely, do not keep other clients from sending theirs. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { LIMITS } from '../../../src/shared/limits.js';
import { anonymous, defineKinds, withMembers } from '../../support/callers.js';
import { refusalOf } from '../../support/definitions.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const project = await withMembers(await service.project());
await defineKinds(project, { id: 'note', label: 'Note', parameters: [{ id: 'text', kind_id: 'text' }] });

/** Sends the head of a request without a token, and what is given of its body. */
async function begin(path: string, rest: string): Promise<Socket> {
  const { hostname, port } = new URL(service.service.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(
    `POST /api/lib${path} HTTP/1.1\r\nhost: x\r\nkind-project-key: ${project.id}\r\ncontent-type: application/json\r\n${rest}`,
  );
  return socket;
}

it.each([
  ['of an announced length', 'content-length: 1048576\r\n\r\n{'],
  ['in chunks', 'transfer-encoding: chunked\r\n\r\n1\r\n{\r\n'],
])('%s', async (_, rest) => {
  const sockets = await Promise.all(Array.from({ length: 100 }, () => begin('/auth/signin', rest)));
  // When this is answered, the service has read the heads that came before.
  await project.get('/kind/unit');
  const replies = await Promise.all(Array.from({ length: 5 }, () => project.post('/note/unit', { text: 'a' })));
  for (const socket of sockets) socket.destroy();
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
});

it('many unfinished bodies without a token: members are still served', async () => {
  const size = 1024 * 1024;
  const unfinished = `content-length: ${size}\r\n\r\n{"username":"${'x'.repeat(size - 14)}`;
  const sockets = await Promise.all(Array.from({ length: 40 }, () => begin('/auth/person/signup', unfinished)));
  // The first that is refused finds no room.
  const [refusal] = (await Promise.race(sockets.map((socket) => once(socket, 'data')))) as [Buffer];
  expect(refusal.toString()).toContain('HTTP/1.1 503');
  const reply = await project.post('/note/unit', { text: 'a'.repeat(2 * size) });
  for (const socket of sockets) socket.destroy();
  expect(reply.status).toBe(200);
});

it('of a link that the caller may not make', async () => {
  const id = '0190163d-8694-739b-aea5-966c26f8ad91';
  const socket = await begin(`/note/unit/${id}/link/to/note/unit/${id}`, 'content-length: 1000\r\n\r\n{');
  const [answer] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 401/);
});

it('is limited to few bytes where small bodies suffice', async () => {
  const open = anonymous(project);
  const padding = ' '.repeat(LIMITS.smallBody);
  const tooLarge = { status: 413, messages: ['body.too_large'] };
  const body = `{"username":"nobody","password":"wrong"}`;
  for (const path of ['signin', 'recover_password']) {
    expect(refusalOf(await open.post(`/auth/${path}`, body + padding))).toEqual(tooLarge);
  }
  expect((await open.post('/auth/signin', body + padding.slice(body.length))).status).toBe(401);
  expect((await open.post('/auth/person/signup', body + padding)).status).toBe(400);
  expect(refusalOf(await project.post('/auth/signout', `{}${padding}`))).toEqual(tooLarge);
});
