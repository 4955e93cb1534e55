/** Errors after which it is unknown whether a write was stored. */
import { expect, it } from 'vitest';
import { commonRefusal, noteLostAnswer } from '../../../src/database/statement/sqlstate.js';

const fault = (message: string, fields: object = {}) => Object.assign(new Error(message), fields);

it.each([
  ['the connection ended', fault('Connection terminated unexpectedly'), true],
  ['the system said so', fault('read ECONNRESET', { code: 'ECONNRESET' }), true],
  ['a pooler lost the server', fault('server conn crashed?', { code: '08006', severity: 'FATAL' }), true],
  ['the server crashed', fault('crash of another server process', { code: '57P02', severity: 'FATAL' }), true],
  ['the server ended the connection', fault('terminating connection', { code: '57P01', severity: 'FATAL' }), false],
  ['it was never sent', fault('Client has encountered a connection error and is not queryable'), false],
])('%s', (_, error, expected) => {
  noteLostAnswer(error);
  expect(commonRefusal(error)).toMatchObject({ code: 'database.unavailable', mayBeStored: expected });
});

it('the same error of a read leaves nothing unknown', () => {
  expect(commonRefusal(fault('Connection terminated unexpectedly'))).toMatchObject({ mayBeStored: false });
});
