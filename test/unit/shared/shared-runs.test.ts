import { expect, it } from 'vitest';
import { SharedRuns } from '../../../src/shared/shared-runs.js';

it('shares the run that follows the one under way, also one that fails', async () => {
  const runs = new SharedRuns();
  const begun: (() => void)[] = [];
  const work = () => new Promise<void>((end) => begun.push(end));
  const asked = ['a', 'b', 'c'].map(() => runs.run('x', work));
  expect(begun).toHaveLength(1);
  void runs.run('y', work);
  expect(begun).toHaveLength(2);
  begun[0]?.();
  await asked[0];
  await new Promise(setImmediate);
  expect(begun).toHaveLength(3);
  const later = runs.run('x', () => Promise.reject(new Error('failed')));
  const last = runs.run('x', work);
  begun[2]?.();
  await Promise.all([asked[1], asked[2]]);
  await expect(later).rejects.toThrow('failed');
  await expect(last).rejects.toThrow('failed');
  await expect(runs.run('x', () => Promise.resolve())).resolves.toBeUndefined();
});
