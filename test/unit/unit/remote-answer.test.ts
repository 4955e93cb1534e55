import { afterAll, expect, it } from 'vitest';
import { PatternMatcher } from '../../../src/catalog/pattern/pattern-matcher.js';
import { readPage } from '../../../src/unit/remote/remote-answer.js';
import { kind, kindIn, modelWith, parameter } from '../../support/models.js';

const patterns = new PatternMatcher();
afterAll(() => patterns.onApplicationShutdown());

it('a page whose texts take long to match yields to other work', async () => {
  const pattern = '(?i)(?:[ab]?){500}(?:[bc]?){500}[xy]';
  const model = modelWith({
    kinds: [kind('far', ['text'], { remote: true })],
    parameters: [parameter('text', 'string', { pattern })],
  });
  const items = Array.from({ length: 20 }, (_, at) => ({ id: String(at), text: `${'ab'.repeat(999)}ax` }));
  let done = false;
  const page = readPage(kindIn(model, 'far'), { count: -1, items }, 100, (checks) =>
    patterns.settle('p', checks),
  ).finally(() => (done = true));
  let turns = 0;
  while (!done) {
    await new Promise((resolve) => setImmediate(resolve));
    turns += 1;
  }
  expect((await page).units).toHaveLength(items.length);
  expect(turns).toBeGreaterThan(5);
});
