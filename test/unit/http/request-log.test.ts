import { expect, it } from 'vitest';
import type { HttpRequest } from '../../../src/http/request/request.js';
import { createLogger } from '../../../src/http/log/logger.js';
import { requestLog } from '../../../src/http/server/request-log.js';

type Log = (path: string, status: number, milliseconds: number, project?: string, route?: string) => void;

function recorded(work: (log: Log) => void) {
  const lines: string[] = [];
  const logger = createLogger({ logLevel: 'info', logFormat: 'json' }, { write: (line) => void lines.push(line) });
  const observe = requestLog(logger);
  work((path, status, milliseconds, project = 'lib', pattern?: string) => {
    const headers = { 'kind-project-key': project };
    const route = { path: path.includes('/unit/') ? '/api/lib/:kind_id/unit/:unit_id' : pattern };
    observe({ method: 'GET', path, headers, route } as unknown as HttpRequest, status, milliseconds);
  });
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

it('names one slow request of a kind in a second, whatever its unit, so that overload does not write a line for each', () => {
  const lines = recorded((log) => {
    for (let at = 0; at < 1000; at += 1) log(`/api/lib/city/unit/${at}`, 200, 1500);
    log('/api/lib/country/unit/1', 200, 1500);
    log('/api/lib/city/unit/1', 200, 1500, 'other');
    log('/api/lib/lake/unit/1', 200, 1500, 'no\nproject');
  });
  expect(lines.map(({ path, msg, project }) => [msg, path, project])).toEqual([
    ['slow request', '/api/lib/city/unit/{unit_id}', 'lib'],
    ['slow request', '/api/lib/country/unit/{unit_id}', 'lib'],
    ['slow request', '/api/lib/city/unit/{unit_id}', 'other'],
    ['slow request', '/api/lib/lake/unit/{unit_id}', undefined],
  ]);
});

it('names no values of units', () => {
  const path = '/api/lib/:kind_id/by/:unique_parameter/:value';
  const lines = recorded((log) => {
    log('/api/lib/person/by/email/ann@example.com', 200, 1500, 'lib', path);
    log('/api/lib/person/by/email/ann@example.com', 401, 1500);
    log('/api/lib/auth/reset_password/secret', 404, 1500);
    log('/console/ann/a/b/c/ann@example.com', 200, 1500, 'lib', '/console/{*rest}');
  });
  expect(lines.map(({ path }) => path)).toEqual([
    '/api/lib/person/by/email/{value}',
    '/api/lib/person/by/…',
    '/api/lib/auth/reset_password/…',
    '/console/ann/a/b/…',
  ]);
});

it('names no quick request, no import, no content of a file, and no refusal that was held back', () => {
  const lines = recorded((log) => {
    log('/api/lib/city/unit/1', 200, 900);
    log('/api/lib/city/import', 200, 60_000);
    for (const path of ['unit/1/content', 'upload', 'upload/1']) log(`/api/lib/file/${path}`, 200, 60_000);
    log('/api/lib/project/lib/file/1/a.jpg', 206, 60_000);
    log('/api/lib/city/unit/1', 503, 4000);
  });
  expect(lines).toEqual([]);
});
