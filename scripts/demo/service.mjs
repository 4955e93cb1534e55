// The service that the demo uses: a running one, or one that it starts.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { DemoError } from './client.mjs';

const START = fileURLToPath(new URL('../start.mjs', import.meta.url));

/** A running service; undefined if there is none and no URL was given. @throws DemoError if that URL does not answer */
export async function findService(named, { host, port }) {
  const url = (named ?? `http://${reachable(host)}:${port}`).replace(/\/+$/, '');
  if (await isRunning(url)) return { url, started: false, stop: async () => {} };
  if (named !== undefined) throw new DemoError(`${url} is no running service`);
  return undefined;
}

function reachable(host) {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

async function isRunning(url) {
  try {
    const response = await fetch(`${url}/health/live`, { signal: AbortSignal.timeout(3000) });
    const { content } = await response.json();
    return content?.status === 'ok';
  } catch {
    return false;
  }
}

/** Starts the service of this folder on a free port, and prints the password of a first start. */
export async function startService(say) {
  say('  No service runs yet; starting one.');
  const env = { ...process.env, PORT: '0', SHUTDOWN_IDLE: '0s', LOG_LEVEL: 'warn' };
  const child = spawn(process.execPath, [START], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    await exited;
  };
  const greeting = await greetingOf(child, exited);
  const url = /https?:\/\/\S+/.exec(greeting)?.[0];
  if (url === undefined) {
    await stop();
    throw new DemoError(
      'the service did not start; if one runs at another address, name it: npm run demo -- --url http://…',
    );
  }
  if (/password/i.test(greeting)) {
    say('\n  This is its first start, so it made a first project. Note the password:');
    say(/\n[^\n]*key[^]*$/i.exec(greeting)?.[0].trimEnd() ?? greeting);
  }
  return { url, started: true, stop };
}

/** The output up to the empty line that ends the greeting, or all of it if the process exits. */
async function greetingOf({ stdout }, exited) {
  let text = '';
  stdout.setEncoding('utf8');
  const complete = new Promise((resolve) => {
    stdout.on('data', (chunk) => {
      text += chunk;
      if (/https?:\/\/\S+[^]*\n\n$/.test(text)) resolve();
    });
  });
  await Promise.race([complete, exited]);
  return text;
}

/** Resident memory of the answering process in megabytes; undefined if the metrics do not have it. */
export async function residentMegabytes(url) {
  const text = await (await fetch(`${url}/metrics`)).text();
  const bytes = /^process_resident_memory_bytes (\S+)/m.exec(text)?.[1];
  return bytes === undefined ? undefined : Math.round(Number(bytes) / 1024 ** 2);
}
