/** What all parts of a run share: its options and folder, the load tool, PostgreSQL, and what has to be stopped. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { loadTool } from './load.mjs';
import { Postgres } from './postgres.mjs';

export const root = dirname(import.meta.dirname);

export class Run {
  /** What was started and has to be stopped, last first. @type {{ stop(): Promise<void> }[]} */
  #running = [];

  /**
   * @param {import('./options.mjs').Options} options
   * @param {string} folder for temporary files
   * @param {string} tool the program that makes the load
   */
  constructor(options, folder, tool) {
    this.options = options;
    this.folder = folder;
    this.tool = tool;
    /** The build of the service. */
    this.dist = join(root, 'dist');
  }

  /** @param {import('./options.mjs').Options} options */
  static async create(options) {
    const folder = await mkdtemp(join(os.tmpdir(), 'kind-bench-'));
    return new Run(options, folder, await loadTool());
  }

  /** PostgreSQL for all systems, in the folder of `--data` or in a temporary one. */
  async startPostgres() {
    const { data } = this.options;
    const dataDir = data === undefined ? join(this.folder, 'postgres') : resolve(data);
    await mkdir(dataDir, { recursive: true });
    return this.stopAtEnd(await Postgres.start(this.dist, dataDir));
  }

  /** @param {string} line */
  log(line) {
    console.error(`${(performance.now() / 1000).toFixed(0).padStart(4)} s  ${line}`);
  }

  /** Whether a workload is to be measured. @param {string} id */
  wants(id) {
    return this.options.only === undefined || this.options.only.has(id);
  }

  /** @template {{ stop(): Promise<void> }} T @param {T} started @returns {T} */
  stopAtEnd(started) {
    this.#running.push(started);
    return started;
  }

  async stopAll() {
    for (const each of this.#running.splice(0).reverse()) await each.stop();
  }

  async cleanUp() {
    await this.stopAll();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}
