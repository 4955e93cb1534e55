/** Several processes that share a port behave like one. */
import { Agent, get } from 'node:http';
import { expect, it } from 'vitest';
import { startChild } from './child.js';

const { url } = await startChild({ WORKERS: '2' });

/** Over a connection of its own, so that any worker may answer. */
function ask(path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url + path, { agent: new Agent() }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString())).on('end', () => resolve(text));
    }).on('error', reject);
  });
}

it('metrics are those of all of them, whichever answers', async () => {
  for (let times = 0; times < 10; times++) await ask('/health/live');
  const texts = await Promise.all([ask('/metrics'), ask('/metrics')]);
  texts.push(await ask('/metrics'), await ask('/metrics'));
  for (const text of texts) {
    const [, count] = /^kind_http_requests_total\{method="GET",status="200"\} (\d+)$/m.exec(text) ?? [];
    expect(Number(count)).toBeGreaterThanOrEqual(10);
    expect(text).toContain('kind_indexes_pending 0');
  }
});
