/** How much of the time checks of the stored numbers of units take at most. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Database, Transaction } from '../../../src/database/database.js';
import type { KindDef } from '../../../src/model/model.js';
import type { Statement } from '../../../src/sql/fragment.js';
import { CountChecker } from '../../../src/unit/table/stored-counts.js';

const KINDS = ['red', 'green', 'blue', 'white', 'black'];
const CHECK = 2000;
const MINUTE = 60_000;

let checked: string[] = [];
const tx: Partial<Transaction> = {
  abortOn: () => undefined,
  run: (statement: Statement) => {
    const sent = JSON.stringify(statement);
    checked.push(...KINDS.filter((kind) => sent.includes(kind)));
    return Promise.resolve([]);
  },
};
/** Each check takes as long as two seconds. */
const database: Partial<Database> = {
  async transaction(work) {
    const result = await work(tx as Transaction);
    vi.advanceTimersByTime(CHECK);
    return result;
  },
};

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

it('a round takes three seconds and its last check; the others come first in the next one', async () => {
  const checker = new CountChecker(database as Database);
  const round = async (): Promise<string[]> => {
    checked = [];
    await checker.check();
    return checked;
  };
  for (const table of KINDS) {
    checker.noteUse('project_a', { table } as KindDef);
    vi.advanceTimersByTime(1);
  }
  expect(await round()).toEqual([]);
  vi.advanceTimersByTime(MINUTE);
  expect(await round()).toEqual(['red', 'green']);
  expect(await round()).toEqual(['blue', 'white']);
  expect(await round()).toEqual(['black']);
  // A check that takes two seconds is done after 2,000 seconds again, whatever uses the number.
  for (const table of KINDS) checker.noteUse('project_a', { table } as KindDef);
  vi.advanceTimersByTime(33 * MINUTE - 4 * CHECK);
  expect(await round()).toEqual([]);
  vi.advanceTimersByTime(MINUTE);
  expect(await round()).toEqual(['red', 'green']);
  await checker.onModuleDestroy();
});

it('a round that is asked for while one runs does nothing', async () => {
  const checker = new CountChecker(database as Database);
  checker.noteUse('project_a', { table: 'red' } as KindDef);
  vi.advanceTimersByTime(MINUTE);
  checked = [];
  await Promise.all([checker.check(), checker.check()]);
  expect(checked).toEqual(['red']);
  await checker.onModuleDestroy();
});
