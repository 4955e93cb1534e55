/**
 * How many clients lose the answer to a body that is refused while they send it: with `LingeringClose` and without it, on
 * plain servers of `node:http`. `node bench/refused-bodies.mjs`, after `npm run build`. Figures are in
 * docs/adr/0016-machineries.md.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';

const dist = join(import.meta.dirname, '../dist');
/** @type {typeof import('../src/http/server/lingering-close.js')} */
const { lingeringClose } = await import(join(dist, 'http/server/lingering-close.js'));

const CLIENTS = 100;
const BODY = Buffer.alloc(20_000_000, 0x20);

for (const lingers of [true, false]) {
  const server = createServer((request, response) => {
    if (lingers) lingeringClose.watch(request, response);
    response.writeHead(413, { 'content-length': 2 }).end('{}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  let lost = 0;
  for (let at = 0; at < CLIENTS; at += 1) if (!(await isAnswered(port))) lost += 1;
  server.close();
  server.closeAllConnections();
  console.log(`${lingers ? 'with' : 'without'} it: ${lost} of ${CLIENTS} answers are lost`);
}

/** A client that sends all of its body before it reads, on a connection of its own. @param {number} port */
async function isAnswered(port) {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.pause();
  socket.on('data', (data) => (answer += data.toString('latin1')));
  socket.on('error', () => undefined);
  const closed = once(socket, 'close').catch(() => undefined);
  socket.write(`POST / HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: ${BODY.length}\r\n\r\n`);
  socket.write(BODY, () => socket.resume());
  await closed;
  socket.destroy();
  return answer.startsWith('HTTP/1.1 413');
}
