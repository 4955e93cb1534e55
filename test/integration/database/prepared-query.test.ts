/** Rows of named statements are parsed by the columns that their own connection describes. */
import { Client } from 'pg';
import { expect, inject, it } from 'vitest';
import { clientOptions } from '../../../src/database/connection/connection.js';
import { preparedQuery, rowsOf } from '../../../src/database/statement/prepared-query.js';
import { atEnd } from '../../support/at-end.js';

async function connect(createTable: string): Promise<Client> {
  const client = new Client(clientOptions(inject('database')));
  await client.connect();
  atEnd(() => client.end());
  await client.query(createTable);
  return client;
}

const text = 'SELECT * FROM pg_temp.sample WHERE $1';

function run(client: Client, given: unknown = true, name: string | undefined = 'sample'): Promise<unknown[]> {
  return new Promise((resolve, reject) => {
    const query = preparedQuery({ text, values: [given] }, name, (error, result) =>
      result ? resolve(rowsOf(result)) : reject(error ?? new Error('neither rows nor an error')),
    );
    client.query(query);
  });
}

const [numbers, texts, longer] = [
  await connect('CREATE TEMP TABLE sample AS SELECT 1 AS a, true AS b'),
  await connect(`CREATE TEMP TABLE sample AS SELECT '1' AS a, null AS b`),
  await connect('CREATE TEMP TABLE sample AS SELECT 2 AS a, false AS b, 3 AS c'),
];

it('also if they differ between connections', async () => {
  for (let round = 0; round < 3; round += 1) {
    expect(await run(numbers)).toEqual([{ a: 1, b: true }]);
    expect(await run(texts)).toEqual([{ a: '1', b: null }]);
    expect(await run(longer)).toEqual([{ a: 2, b: false, c: 3 }]);
  }
});

it('and each row is an object of its own', async () => {
  const [first] = (await run(numbers)) as Record<string, unknown>[];
  Object.assign(first ?? {}, { a: 'changed', more: true });
  expect(await run(numbers)).toEqual([{ a: 1, b: true }]);
});

it('without rows, after an error, and without a name', async () => {
  expect(await run(numbers, false)).toEqual([]);
  await expect(run(numbers, 'no boolean')).rejects.toMatchObject({ code: '22P02' });
  expect(await run(numbers)).toEqual([{ a: 1, b: true }]);
  expect(await run(numbers, true, undefined)).toEqual([{ a: 1, b: true }]);
});

it('and a text with several statements is refused', async () => {
  const query = new Promise((resolve, reject) => {
    const two = { text: 'SELECT 1; SELECT 2', values: [], prepare: true };
    numbers.query(preparedQuery(two, undefined, (error, result) => (error ? reject(error) : resolve(result))));
  });
  await expect(query).rejects.toThrow('cannot insert multiple commands into a prepared statement');
});
