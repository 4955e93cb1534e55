/** The largest writes of one project hold up nobody else: very many defaults, and very many links that one request replaces. */
import { expect, it } from 'vitest';
import { LIMITS } from '../../src/shared/limits.js';
import { defineKinds } from '../support/callers.js';
import { ok, query } from '../support/definitions.js';
import { beside } from '../support/neighbour.js';
import { sharedService } from '../support/service.js';

const service = await sharedService();
const quiet = await service.project();
const project = await service.project();
/** Characters: as JSON it has two more. */
const DEFAULT = 128 * 1024 - 2;
await defineKinds(
  project,
  { id: 'form', parameters: [{ id: 'text', kind_id: 'string', default_string: 'f'.repeat(DEFAULT) }] },
  { id: 'node', parameters: [{ id: 'code', kind_id: 'string', is_primary: true }] },
);
await ok(project.post('/node/unit', [{ code: 'hub' }, { code: 'a' }]));

it.each([
  ['too many', 1000, 400],
  // The empty metadata of each is a default too.
  ['as many as may be', LIMITS.defaultBytes / (DEFAULT + 2) - 1, 200],
])('units with defaults do not block others: %s', async (_, count, status) => {
  const forms = Array.from({ length: count }, () => ({}));
  const { result, held } = await beside(quiet, '/kind/unit/string', () => project.post('/form/unit', forms));
  expect(result.status).toBe(status);
  expect(held).toBeLessThan(1000);
});

it('a request that replaces as many links as it may keeps nobody waiting', { timeout: 60_000 }, async () => {
  await query(
    project,
    `INSERT INTO $schema."_link" SELECT 'node', 'hub', 'node', 'n' || n, 'link', now() FROM generate_series(1, $1::int) AS n ON CONFLICT DO NOTHING`,
    [LIMITS.replacedLinks],
  );
  const { result, held, waits } = await beside(quiet, '/kind/unit/string', () =>
    project.post('/node/unit/hub/link/link/child', { items: [{ kind_id: 'node', id: 'a' }], replace: true }),
  );
  expect(result.status).toBe(200);
  expect(await query(project, 'SELECT count(*)::int AS n FROM $schema."_link"')).toEqual([{ n: 1 }]);
  expect(held).toBeLessThan(500);
  expect(Math.max(...waits)).toBeLessThan(2000);
});
