import { expect, it } from 'vitest';
import { ExpiredRows } from '../../../src/catalog/project/expired-rows.js';

it('the first write to a table deletes, and then every fiftieth, each table for itself', async () => {
  const deleted: string[] = [];
  const executor = {
    run: <Row>({ text }: { text: string }): Promise<Row[]> => {
      deleted.push(/"(_\w+)"/.exec(text)?.[1] ?? '');
      return Promise.resolve([]);
    },
  };
  const expired = new ExpiredRows();
  const write = async (times: number, table: '_code' | '_recovery'): Promise<string[]> => {
    deleted.length = 0;
    for (let time = 0; time < times; time += 1) await expired.sweep(executor, 'project_a', table);
    return [...deleted];
  };
  expect(await write(50, '_code')).toEqual(['_code']);
  expect(await write(1, '_code')).toEqual(['_code']);
  expect(await write(49, '_code')).toEqual([]);
  expect(await write(1, '_recovery')).toEqual(['_recovery']);
});
