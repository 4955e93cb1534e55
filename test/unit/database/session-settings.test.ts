/** The settings of connections, and which of them a server may lack. */
import { expect, test } from 'vitest';
import { clientOptions, directConnection, databaseAddress } from '../../../src/database/connection/connection.js';
import {
  idleTimeoutFor,
  missingSettings,
  sessionSettings,
  startupOptions,
} from '../../../src/database/connection/session-settings.js';

const settings = sessionSettings({ statementTimeout: 30_000, idleTimeout: 15_000 });
const GOOD = new Map([
  ['statement_timeout', '20000'],
  ['idle_in_transaction_session_timeout', '60000'],
  ['lock_timeout', '1000'],
  ['timezone', 'Etc/UTC'],
  ['datestyle', 'ISO, DMY'],
  ['intervalstyle', 'postgres'],
  ['bytea_output', 'hex'],
  ['extra_float_digits', '3'],
  ['standard_conforming_strings', 'on'],
]);

test('a server with its own limits and formats is accepted', () => {
  expect(missingSettings(settings, GOOD)).toEqual([]);
});

test.each([
  ['statement_timeout', '0', '30000ms'],
  ['idle_in_transaction_session_timeout', '0', '15000ms'],
  ['lock_timeout', '0', '100ms'],
  ['lock_timeout', '5000', '100ms'],
  ['timezone', 'Europe/Rome', 'UTC'],
  ['datestyle', 'SQL, DMY', 'ISO'],
  ['intervalstyle', 'iso_8601', 'postgres'],
  ['bytea_output', 'escape', 'hex'],
  ['extra_float_digits', '0', '1'],
  ['standard_conforming_strings', 'off', 'on'],
])('%s of %s is missing', (name, has, wants) => {
  expect(missingSettings(settings, new Map([...GOOD, [name, has]]))).toEqual([{ name, has, wants }]);
});

test('as a startup parameter no value needs to be quoted', () => {
  expect(startupOptions(settings)).toMatch(/^(-c [a-z_]+=[A-Za-z0-9]+ ?)+$/);
});

test('a transaction may be silent as long as functions may run', () => {
  expect([1000, 10_000, 60_000].map(idleTimeoutFor)).toEqual([15_000, 15_000, 65_000]);
});

test('options of an address are kept, before those of the service', () => {
  expect(clientOptions({ url: 'postgres://a:b@c/d?options=-c%20x%3D1&sslmode=require' }, '-c y=2')).toEqual({
    connectionString: 'postgres://a:b@c/d?sslmode=require',
    options: '-c x=1 -c y=2',
  });
  expect(clientOptions({ url: 'postgres://a:b@c/d' }, '-c y=2')).toEqual({
    connectionString: 'postgres://a:b@c/d',
    options: '-c y=2',
  });
});

test('a connection shown in the log has no password, and the direct address is preferred', () => {
  expect(databaseAddress({ url: 'postgres://a:secret@c:6432/d' })).toBe('c:6432/d');
  expect(databaseAddress({ url: 'postgres:///d?host=/run/pg&password=secret' })).toBe('/run/pg/d');
  expect(directConnection({ url: 'postgres://a', directUrl: 'postgres://b' })).toEqual({ url: 'postgres://b' });
  expect(directConnection({ url: 'postgres://a' })).toEqual({ url: 'postgres://a' });
});
