/** The log of errors that are not caused by clients. */
import type { ArgumentsHost } from '@nestjs/common';
import { expect, it, vi } from 'vitest';
import { commonRefusal } from '../../../src/database/statement/sqlstate.js';
import { ErrorResponder } from '../../../src/http/server/error.responder.js';
import { KindError, refusal } from '../../../src/shared/errors.js';

const request = { method: 'GET', path: '/api/lib/city/unit', headers: {} };
const response = { headersSent: false, writeHead: vi.fn(), end: vi.fn() };
const host = { switchToHttp: () => ({ getRequest: () => request, getResponse: () => response }) };

function responder() {
  const log = { error: vi.fn(), warn: vi.fn() };
  const made = new ErrorResponder(log);
  return { log, respond: (error: unknown) => made.catch(error, host as unknown as ArgumentsHost) };
}

const lost = Object.assign(new Error('terminating connection due to administrator command'), {
  code: '57P01',
  detail: 'Key (name)=(a secret)',
  where: 'SELECT secret FROM t',
});
const slow = Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
const full = new Error('timeout exceeded when trying to connect');

it.each([
  ['database.unavailable', lost, '57P01: terminating connection due to administrator command'],
  ['query.timeout', slow, '57014: canceling statement due to statement timeout'],
  ['server.busy', full, 'timeout exceeded when trying to connect'],
])('%s is logged with its cause, and once however many requests meet it', (code, error, cause) => {
  const { log, respond } = responder();
  for (let at = 0; at < 100; at++) respond(commonRefusal(error));
  expect(log.warn).toHaveBeenCalledTimes(1);
  expect(log.warn.mock.calls[0]?.[0]).toMatchObject({ code, cause, count: 1 });
  expect(JSON.stringify(log.warn.mock.calls)).not.toContain('secret');
  expect(JSON.stringify(response.end.mock.calls)).not.toContain(cause);
  expect(log.error).not.toHaveBeenCalled();
});

it('errors caused by clients are not logged', () => {
  const { log, respond } = responder();
  respond(refusal('unit.unknown', 'No such unit'));
  expect([log.warn.mock.calls, log.error.mock.calls]).toEqual([[], []]);
});

it('a range that is not there is answered with the length of the whole', () => {
  const options = { contentRange: 'bytes */5' };
  responder().respond(new KindError([{ code: 'file.range', text: 'It has 5 bytes' }], undefined, options));
  const headers = expect.objectContaining({ 'Content-Range': 'bytes */5' }) as object;
  expect(response.writeHead).toHaveBeenLastCalledWith(416, 'Range Not Satisfiable', headers);
});
