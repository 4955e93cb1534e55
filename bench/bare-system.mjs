/** The bare handler as its own process. */
import { join } from 'node:path';
import { Child, freePort } from './child.mjs';
import { flagsToCount } from './request-counts.mjs';
import { POOL } from './postgres.mjs';
import { SECRET } from './service.mjs';

export class Bare {
  /**
   * @param {string} name
   * @param {Child} child
   * @param {string} url
   * @param {Record<string, string>} headers
   */
  constructor(name, child, url, headers) {
    this.name = name;
    this.child = child;
    this.url = url;
    this.headers = headers;
  }

  /**
   * @param {{ name: string, databaseUrl: string, headers: Record<string, string>, keepTokens?: boolean,
   *   processes?: number, counts?: string }} options headers: those that the service takes, its token included;
   *   counts: a folder for the numbers of requests of its processes
   */
  static async start({ name, databaseUrl, headers, keepTokens = false, processes = 1, counts }) {
    const port = await freePort();
    const child = new Child([process.execPath, ...flagsToCount(counts), join(import.meta.dirname, 'bare.mjs')], {
      env: {
        DATABASE_URL: databaseUrl,
        JWT_SECRET: SECRET,
        POOL: String(POOL),
        PORT: String(port),
        PROCESSES: String(processes),
        COUNTS: counts ?? '',
        ...(keepTokens && { KEEP_TOKENS: '1' }),
      },
    });
    const url = `http://127.0.0.1:${port}`;
    await child.answers(url);
    return new Bare(name, child, url, headers);
  }

  stop() {
    return this.child.stop();
  }
}
