/** How large the client is that an application loads. */
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { expect, it } from 'vitest';

const MOST_BYTES = 10_000;

it('takes less than 10 kB, minified and compressed', async () => {
  const bundler = await rolldown({ input: join(import.meta.dirname, '../../../packages/client/index.ts') });
  const { output } = await bundler.generate({ minify: true });
  await bundler.close();
  const [{ code }, ...others] = output;
  expect(others).toEqual([]);
  expect(code).toContain('kind-project-key');
  expect(gzipSync(code).length).toBeLessThan(MOST_BYTES);
});
