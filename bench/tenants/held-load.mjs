/**
 * A load on kept connections, each of which sends its next request when it has its answer: `node held-load.mjs '<JSON>'`
 * prints latencies and numbers by status as JSON. A process of its own, so that nothing else delays it. (wrk does not tell
 * the latencies of one status from those of others.)
 */
import { connect } from 'node:net';

/** @type {{ url: string, path: string, headers: Record<string, string>, connections: number, seconds: number, warmUp: number }} */
const { url, path, headers, connections, seconds, warmUp } = JSON.parse(process.argv[2] ?? '');
const { hostname, port, host } = new URL(url);
const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}`);
const request = [`GET ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n');
const HEAD_END = Buffer.from('\r\n\r\n');
const begin = performance.now() + warmUp * 1000;
const end = begin + seconds * 1000;
/** @type {Map<string, number[]>} */
const latencies = new Map();

function open() {
  let sent = 0;
  let received = Buffer.alloc(0);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  const send = () => {
    sent = performance.now();
    socket.write(request);
  };
  /** @param {string} status */
  const count = (status) => {
    const now = performance.now();
    if (now < begin || now >= end) return;
    const known = latencies.get(status);
    if (known) known.push(now - sent);
    else latencies.set(status, [now - sent]);
  };
  let ended = false;
  const again = () => {
    if (ended) return;
    ended = true;
    if (performance.now() >= end) return;
    count('broken');
    setTimeout(open, 100);
  };
  socket.on('connect', send);
  socket.on('error', again);
  socket.on('close', again);
  socket.on('data', (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const at = received.indexOf(HEAD_END);
    if (at < 0) return;
    const head = received.toString('latin1', 0, at);
    const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
    if (received.length < at + HEAD_END.length + length) return;
    received = Buffer.alloc(0);
    count(head.slice(9, 12));
    if (performance.now() >= end || /^connection: close/im.test(head)) socket.end();
    else send();
  });
}

for (let at = 0; at < connections; at += 1) open();
setTimeout(() => {
  const answers = [...latencies].map(([status, times]) => {
    times.sort((a, b) => a - b);
    const at = (/** @type {number} */ part) => times[Math.floor((times.length - 1) * part)] ?? 0;
    return [status, { perSecond: times.length / seconds, p50: at(0.5), p99: at(0.99) }];
  });
  process.stdout.write(JSON.stringify(Object.fromEntries(answers)), () => process.exit(0));
}, end - performance.now());
