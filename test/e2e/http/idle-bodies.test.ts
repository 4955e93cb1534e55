/** Bodies that are announced and never come: they keep nobody else from sending one. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { defineKinds } from '../../support/callers.js';
import { startTestService } from '../../support/service.js';

const service = await startTestService();
const project = await service.project();
await defineKinds(project, { id: 'note', label: 'Note', parameters: [{ id: 'text', kind_id: 'text' }] });

it.each([
  ['of an announced length', 'content-length: 1048576\r\n\r\n{'],
  ['in chunks', 'transfer-encoding: chunked\r\n\r\n1\r\n{\r\n'],
])('%s', async (_, rest) => {
  const { hostname, port } = new URL(service.service.url);
  const sockets = await Promise.all(
    Array.from({ length: 100 }, async () => {
      const socket = connect(Number(port), hostname);
      await once(socket, 'connect');
      socket.write(
        `POST /api/lib/auth/signin HTTP/1.1\r\nhost: x\r\nkind-project-key: ${project.id}\r\ncontent-type: application/json\r\n${rest}`,
      );
      return socket;
    }),
  );
  // When this is answered, the service has read the heads that came before.
  await project.get('/kind/unit');
  const replies = await Promise.all(Array.from({ length: 5 }, () => project.post('/note/unit', { text: 'a' })));
  for (const socket of sockets) socket.destroy();
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
});
