/** A server process: started with an environment, ready when it answers, stopped by a signal. */
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const READY_WITHIN = 180_000;
const POLL_EVERY = 10;
const STOP_WITHIN = 15_000;

/** @returns {Promise<number>} a free TCP port */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

export class Child {
  #process;
  #output = '';

  /**
   * @param {readonly string[]} command
   * @param {{ env: Record<string, string>, cwd?: string }} options
   */
  constructor([program = '', ...args], { env, cwd }) {
    this.started = performance.now();
    this.#process = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.#process.stdout, this.#process.stderr]) {
      stream.on('data', (data) => (this.#output = `${this.#output}${data}`.slice(-4000)));
    }
  }

  get pid() {
    return this.#process.pid ?? 0;
  }

  /** Waits until the address answers 200; milliseconds since the start. @param {string} url */
  ready(url) {
    return this.#until(url, ({ ok }) => ok);
  }

  /** Waits until the address answers with any status. @param {string} url */
  answers(url) {
    return this.#until(url, () => true);
  }

  /**
   * @param {string} url
   * @param {(response: Response) => boolean} isReady
   */
  async #until(url, isReady) {
    while (performance.now() - this.started < READY_WITHIN) {
      if (this.#process.exitCode !== null) break;
      const response = await fetch(url).catch(() => undefined);
      await response?.text();
      if (response && isReady(response)) return performance.now() - this.started;
      await delay(POLL_EVERY);
    }
    throw new Error(`${url} does not answer:\n${this.#output}`);
  }

  async stop() {
    if (this.#process.exitCode !== null) return;
    const ended = new Promise((resolve) => this.#process.once('exit', resolve));
    this.#process.kill('SIGTERM');
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), STOP_WITHIN);
    await ended;
    clearTimeout(timer);
  }
}
