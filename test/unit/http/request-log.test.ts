import { expect, it } from 'vitest';
import type { HttpRequest } from '../../../src/http/request/request.js';
import { createLogger } from '../../../src/http/log/logger.js';
import { requestLog } from '../../../src/http/server/request-log.js';

function recorded(work: (log: (path: string, status: number, milliseconds: number, project?: string) => void) => void) {
  const lines: string[] = [];
  const logger = createLogger({ logLevel: 'info', logFormat: 'json' }, { write: (line) => void lines.push(line) });
  const observe = requestLog(logger);
  work((path, status, milliseconds, project = 'lib') => {
    const headers = { 'kind-project-key': project };
    observe({ method: 'GET', path, headers } as unknown as HttpRequest, status, milliseconds);
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
    ['slow request', '/api/lib/city/unit/0', 'lib'],
    ['slow request', '/api/lib/country/unit/1', 'lib'],
    ['slow request', '/api/lib/city/unit/1', 'other'],
    ['slow request', '/api/lib/lake/unit/1', undefined],
  ]);
});

it('names no quick request, no import, and no refusal that was held back', () => {
  const lines = recorded((log) => {
    log('/api/lib/city/unit/1', 200, 900);
    log('/api/lib/city/import', 200, 60_000);
    log('/api/lib/city/unit/1', 503, 4000);
  });
  expect(lines).toEqual([]);
});
