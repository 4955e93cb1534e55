/** Units with many links: how many one request replaces. */
import { expect, it } from 'vitest';
import { defineKinds } from '../support/callers.js';
import { ok, query, refusalOf } from '../support/definitions.js';
import { LIMITS } from '../../src/shared/limits.js';
import { lowerLimit } from '../support/limits.js';
import { sharedService } from '../support/service.js';

const service = await sharedService();
const admin = await service.project();
await defineKinds(admin, { id: 'node', parameters: [{ id: 'code', kind_id: 'string', is_primary: true }] });
await ok(admin.post('/node/unit', [{ code: 'hub' }, { code: 'a' }]));

const insert = (count: number) =>
  query(
    admin,
    `INSERT INTO $schema."_link" SELECT 'node', 'hub', 'node', 'n' || n, 'link', now() FROM generate_series(1, $1::int) AS n ON CONFLICT DO NOTHING`,
    [count],
  );
const count = async () => (await query<{ n: number }>(admin, 'SELECT count(*)::int AS n FROM $schema."_link"'))[0]?.n;
const replace = () =>
  admin.post('/node/unit/hub/link/link/child', { items: [{ kind_id: 'node', id: 'a' }], replace: true });

it('a request replaces so many links, and not one more', async () => {
  lowerLimit('replacedLinks', 1000);
  await insert(LIMITS.replacedLinks + 1);
  expect(refusalOf(await replace())).toEqual({ status: 409, messages: ['link.too_many replace'] });
  expect(await count()).toBe(LIMITS.replacedLinks + 1);
  await query(admin, `DELETE FROM $schema."_link" WHERE child_id = 'n1'`);
  await ok(replace());
  expect(await count()).toBe(1);
});
