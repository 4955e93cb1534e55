/** A client that keeps a transfer waiting for too long, over real connections. */
import { once } from 'node:events';
import http from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { afterAll, expect, it } from 'vitest';
import { ExportOutput } from '../../../src/transfer/export-output.js';
import { FileText } from '../../../src/transfer/file/imported-text.js';
import type { HttpRequest, HttpResponse } from '../../../src/http/request/request.js';

const FORMAT = { mediaType: 'text/csv', extension: 'csv', head: 'a\r\n', lineOf: (text: string) => `${text}\r\n` };
const LIMITS = { wait: 100, bytesPerSecond: 1e9 };

type Handler = (request: HttpRequest, response: HttpResponse) => void;
let handle: Handler = () => undefined;
const server = http.createServer((request, response) => handle(request as HttpRequest, response as HttpResponse));
await once(server.listen(0, '127.0.0.1'), 'listening');
const { port } = server.address() as AddressInfo;
afterAll(() => void server.close());

/** What a handler made of a request whose client then reads nothing. */
async function whileIdle<T>(
  head: string,
  work: (request: HttpRequest, response: HttpResponse) => Promise<T>,
): Promise<T> {
  const result = new Promise<T>((resolve, reject) => {
    handle = (request, response) => void work(request, response).then(resolve, reject);
  });
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined).pause();
  socket.write(head);
  try {
    return await result;
  } finally {
    socket.destroy();
  }
}

it('that does not read an export is disconnected, and the export aborted', async () => {
  const aborted = await whileIdle('GET / HTTP/1.1\r\nhost: x\r\n\r\n', async (request, response) => {
    const output = new ExportOutput(request, response, 'thing', FORMAT, LIMITS);
    try {
      for (;;) {
        await output.add('x'.repeat(100_000));
        await output.ready();
      }
    } catch (error) {
      return { error, destroyed: response.destroyed, aborted: output.signal.aborted };
    }
  });
  expect(aborted).toMatchObject({ error: { name: 'ClientGoneError' }, destroyed: true, aborted: true });
});

it('that does not send the rest of an import is refused', async () => {
  const head = 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nname\na\n';
  const refused = await whileIdle(head, async (request) => {
    const texts: string[] = [];
    try {
      for await (const { text } of new FileText(request, false, LIMITS)) texts.push(text);
      return undefined;
    } catch (error) {
      return { texts, error };
    }
  });
  expect(refused).toMatchObject({ texts: ['name\na\n'], error: { code: 'body.timeout' } });
});
