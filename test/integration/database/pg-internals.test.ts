/** Each private member of `pg`, `pg-pool` and TypeORM that the service uses: a version without it fails here, with its name. */
import { Duplex } from 'node:stream';
import { Query } from 'pg';
import { expect, inject, it } from 'vitest';
import { createDataSource } from '../../../src/database/connection/data-source.js';
import { idleOf, InnerQuery, keyOfClient, poolOf, streamOf } from '../../../src/database/pg-internals.js';
import { atEnd } from '../../support/at-end.js';

const dataSource = createDataSource(inject('database'), { pool: 2 });
await dataSource.initialize();
atEnd(() => dataSource.destroy());
const pool = poolOf(dataSource);
const client = await pool.connect();
const sent: { prepared?: object; result?: object; accumulates?: unknown } = {};
class SeenQuery extends InnerQuery {
  override prepare(connection: Parameters<InstanceType<typeof InnerQuery>['prepare']>[0]): void {
    sent.prepared = connection;
    sent.result = this._result;
    super.prepare(connection);
  }

  override handleRowDescription(message: Parameters<InstanceType<typeof InnerQuery>['handleRowDescription']>[0]): void {
    super.handleRowDescription(message);
    sent.accumulates = this._accumulateRows;
  }
}
const rows = await new Promise<unknown>((resolve, reject) => {
  const query = new SeenQuery('SELECT $1::int AS a', [1], (error, result) => {
    if (error) reject(error);
    else resolve(result);
  });
  client.query(query as never);
});
client.release();

it.each<[string, () => unknown]>([
  ['driver.master of TypeORM', () => typeof pool.connect === 'function' && pool.options.max === 2],
  ['Pool._idle', () => idleOf(pool)?.some((item) => item.client === client)],
  ['Client.host', () => typeof keyOfClient(client).host === 'string'],
  ['Client.port', () => Number.isInteger(keyOfClient(client).port)],
  ['Client.processID', () => (keyOfClient(client).processID ?? 0) > 0],
  ['Client.secretKey', () => Number.isInteger(keyOfClient(client).secretKey)],
  ['Client.connection.stream', () => streamOf(client) instanceof Duplex],
  ['Query(text, values, callback)', () => (rows as { rows: unknown[] }).rows.length === 1],
  ['Query.prepare', () => sent.prepared !== undefined],
  ['Query.handleRowDescription', () => typeof Reflect.get(Query.prototype, 'handleRowDescription') === 'function'],
  ['Query.handleDataRow', () => typeof Reflect.get(Query.prototype, 'handleDataRow') === 'function'],
  ['Query._accumulateRows', () => Boolean(sent.accumulates)],
  ['Query._result._parsers', () => Reflect.has(sent.result ?? {}, '_parsers')],
  ['Query._result._prebuiltEmptyResultObject', () => Reflect.has(sent.result ?? {}, '_prebuiltEmptyResultObject')],
  ['Connection.bind', () => typeof Reflect.get(sent.prepared ?? {}, 'bind') === 'function'],
  ['Connection._send', () => typeof Reflect.get(sent.prepared ?? {}, '_send') === 'function'],
])('%s is there', (_, isThere) => {
  expect(isThere()).toBe(true);
});
