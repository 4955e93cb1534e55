/** Attempts: which addresses are connected to, and how each failure is told. Names are resolved by the test. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer as createSecure } from 'node:https';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createHttp } from 'node:http';
import { mkdtempSync } from 'node:fs';
import { getEventListeners, once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { Config } from '../../../src/config/config.js';
import type { PublicAddress } from '../../../src/mail/public-address.js';
import { OwnPlaces } from '../../../src/outgoing/own-places.js';
import { CheckedAddresses } from '../../../src/outgoing/checked-addresses.js';
import { Sender } from '../../../src/webhook/sender.js';
import { lowerLimit } from '../../support/limits.js';

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});
async function listen(server: Server): Promise<number> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Each look-up of a name takes the next answer; the last one stays. */
class Names {
  readonly asked: string[] = [];
  constructor(private readonly answers: Readonly<Record<string, (readonly string[])[]>>) {}

  addressesOf(host: string): Promise<readonly string[]> {
    this.asked.push(host);
    const left = this.answers[host];
    const [next] = left ?? [];
    if (left && left.length > 1) left.shift();
    return next ? Promise.resolve(next) : Promise.reject(new Error('not found'));
  }
}

const PUBLIC = { url: 'https://kind.example.com' } as PublicAddress;
const never = new AbortController().signal;
lowerLimit('deliverySeconds', 0.4);

function senderOf(
  names: Names,
  webhooks: Partial<Config['webhooks']> = {},
  own: { host: string; port: number }[] = [],
) {
  const config = { webhooks: { allow: [], allowPrivate: false, allowHttp: true, ...webhooks } } as unknown as Config;
  const places = new OwnPlaces(PUBLIC, names);
  places.are(own);
  const sender = new Sender(new CheckedAddresses(names, places), config);
  return (url: string, body = '{}') => sender.send({ url, headers: { 'x-a': 'b' }, body }, never);
}

const hits: string[] = [];
const plain = createHttp((request, response) => {
  hits.push(`${request.headers.host} ${request.url} ${String(request.headers['x-a'])}`);
  const [, what] = (request.url ?? '').split('/');
  if (what === 'never') return;
  if (what === 'slow') return void setTimeout(() => response.end(), 5000).unref();
  if (what === 'trickle') return void response.write('a');
  if (what === 'redirect') return void response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end();
  if (what === 'cut') return void request.socket.destroy();
  response.writeHead(200).end('ok');
});
const port = await listen(plain);
const local = { allowPrivate: true };

it('sends to a literal address, and to one that a name has', async () => {
  const send = senderOf(new Names({ 'hooks.example.com': [['127.0.0.1']] }), local);
  expect(await send(`http://127.0.0.1:${port}/a`)).toMatchObject({ status: 200, code: null });
  expect(await send(`http://hooks.example.com:${port}/b?c=d`)).toMatchObject({ status: 200, code: null });
  expect(hits.slice(-2)).toEqual([`127.0.0.1:${port} /a b`, `hooks.example.com:${port} /b?c=d b`]);
});

it.each([
  ['10.0.0.1'],
  ['169.254.169.254'],
  ['127.0.0.1'],
  ['::ffff:127.0.0.1'],
  ['64:ff9b::7f00:1'],
  ['::1'],
  ['8.8.8.8', '127.0.0.1'],
  ['2606:4700::1111', 'fd00::1'],
])('a name with the address %s is refused', async (...addresses) => {
  const before = hits.length;
  const send = senderOf(new Names({ 'hooks.example.com': [addresses] }));
  expect(await send(`http://hooks.example.com:${port}/`)).toMatchObject({ status: null, code: 'address' });
  expect(hits).toHaveLength(before);
});

it('a literal address is refused when it is sent too', async () => {
  const send = senderOf(new Names({}));
  for (const host of ['127.0.0.1', '0x7f.1', '2130706433', '[::ffff:127.0.0.1]', '[::1]']) {
    expect(await send(`http://${host}:${port}/`)).toMatchObject({ code: 'address' });
  }
});

it('a name that has another address the second time is asked once', async () => {
  // The first answer is allowed and is this server; the second one, which nobody asks for, is another.
  const names = new Names({ 'rebound.example.com': [['127.0.0.1'], ['127.0.0.9']] });
  const send = senderOf(names, { allow: ['127.0.0.1/32'] });
  expect(await send(`http://rebound.example.com:${port}/one`)).toMatchObject({ code: null });
  expect(names.asked).toEqual(['rebound.example.com']);
  expect(await send(`http://rebound.example.com:${port}/two`)).toMatchObject({ code: 'address' });
});

it('the service and its database are never sent to', async () => {
  const names = new Names({ 'hooks.example.com': [['127.0.0.1']], 'db.example.com': [['127.0.0.1']] });
  const send = senderOf(names, local, [{ host: 'db.example.com', port }]);
  expect(await send(`http://hooks.example.com:${port}/`)).toMatchObject({ code: 'address' });
  expect(await send(`http://127.0.0.1:${port}/`)).toMatchObject({ code: 'address' });
  expect(await send(`http://[::1]:${port}/`)).toMatchObject({ code: 'address' });
});

it.each([
  ['never', 'timeout', null],
  ['slow', 'timeout', null],
  ['redirect', 'redirect', 307],
  ['cut', 'lost', null],
  // An answer that has come counts, although its body never ends.
  ['trickle', null, 200],
])('a receiver that answers %s', async (path, code, status) => {
  const began = performance.now();
  const attempt = await senderOf(new Names({}), local)(`http://127.0.0.1:${port}/${path}`);
  expect(attempt).toMatchObject({ code, status });
  expect(performance.now() - began).toBeLessThan(3000);
});

it('a closed port, an unknown name, and what is no HTTP', async () => {
  const send = senderOf(new Names({}), local);
  const closed = createServer();
  const closedPort = await listen(closed);
  await new Promise((resolve) => closed.close(resolve));
  expect(await send(`http://127.0.0.1:${closedPort}/`)).toMatchObject({ code: 'connect' });
  expect(await send('http://unknown.example.com/')).toMatchObject({ code: 'dns' });
  const other = createServer((socket: Socket) => socket.end('SSH-2.0-OpenSSH\r\n'));
  expect(await send(`http://127.0.0.1:${await listen(other)}/`)).toMatchObject({ code: 'lost' });
});

it('certificates are verified', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kind-webhook-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=hooks.example.com', '-days', '2'];
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-keyout',
      key,
      '-out',
      cert,
      ...subject,
    ],
    { stdio: 'ignore' },
  );
  const before = hits.length;
  const secure = createSecure({ key: readFileSync(key), cert: readFileSync(cert) }, (_, response) => {
    hits.push('secure');
    response.end();
  });
  const send = senderOf(new Names({ 'hooks.example.com': [['127.0.0.1']] }), local);
  expect(await send(`https://hooks.example.com:${await listen(secure)}/`)).toMatchObject({ code: 'tls', status: null });
  expect(await send(`https://127.0.0.1:${port}/`)).toMatchObject({ code: 'tls' });
  expect(hits).toHaveLength(before);
});

it('an attempt ends with the service', async () => {
  const names = new Names({});
  const config = { webhooks: { allow: [], allowPrivate: true, allowHttp: true } } as unknown as Config;
  const places = new OwnPlaces(PUBLIC, names);
  const stopping = new AbortController();
  const send = (path: string) => {
    const url = `http://127.0.0.1:${port}/${path}`;
    return new Sender(new CheckedAddresses(names, places), config).send(
      { url, headers: {}, body: '' },
      stopping.signal,
    );
  };
  // What ends all attempts keeps nothing of those that have ended.
  const kept = () => Object.getOwnPropertySymbols(stopping.signal).length;
  const before = kept();
  await send('a');
  expect([kept(), getEventListeners(stopping.signal, 'abort')]).toEqual([before, []]);
  const attempt = send('never');
  setTimeout(() => stopping.abort(new Error('stopping')), 50);
  await expect(attempt).rejects.toThrow('stopping');
});
