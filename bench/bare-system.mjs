/** The bare handler as its own process. */
import { join } from 'node:path';
import { Child, freePort } from './child.mjs';
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
   * @param {{ name: string, databaseUrl: string, headers: Record<string, string>, keepTokens?: boolean }} options
   *   headers: those that the service takes, its token included
   */
  static async start({ name, databaseUrl, headers, keepTokens = false }) {
    const port = await freePort();
    const child = new Child([process.execPath, join(import.meta.dirname, 'bare.mjs')], {
      env: {
        DATABASE_URL: databaseUrl,
        JWT_SECRET: SECRET,
        POOL: String(POOL),
        PORT: String(port),
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
