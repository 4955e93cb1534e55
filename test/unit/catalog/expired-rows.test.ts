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
  const write = async (times: number, table: '_one_time' | '_throttle'): Promise<string[]> => {
    deleted.length = 0;
    for (let time = 0; time < times; time += 1) await expired.sweep(executor, 'project_a', table);
    return [...deleted];
  };
  expect(await write(50, '_one_time')).toEqual(['_one_time']);
  expect(await write(1, '_one_time')).toEqual(['_one_time']);
  expect(await write(49, '_one_time')).toEqual([]);
  expect(await write(1, '_throttle')).toEqual(['_throttle']);
});
