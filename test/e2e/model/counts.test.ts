/** A project has only so many definitions of each sort: one more is refused, and nothing else. */
import { expect, it } from 'vitest';
import { LIMITS } from '../../../src/shared/limits.js';
import { ok, query, refusalOf } from '../../support/definitions.js';
import { lowerLimit } from '../../support/limits.js';
import { sharedService, type Reply, type TestProject } from '../../support/service.js';

const service = await sharedService();

/** Makes so many rows like that of `first`, as if they had been defined. */
async function multiply(project: TestProject, name: string, count: number): Promise<void> {
  const table = `$schema."${name}"`;
  await query(
    project,
    `WITH copies AS MATERIALIZED (SELECT copy.* FROM ${table} AS t, generate_series(1, $1::int) AS n,
       LATERAL jsonb_populate_record(NULL::${table}, to_jsonb(t) || jsonb_build_object('id', 'copy' || n)) AS copy WHERE t."id" = 'first')
     INSERT INTO ${table} SELECT * FROM copies`,
    [count],
  );
}

it('rules of one operation', async () => {
  const project = await service.project();
  await ok(project.post('/integer/unit', { id: 'n' }));
  const rules = (count: number) => Array.from({ length: count }, (_, at) => `eq(n,${at})`);
  const define = (id: string, read: string[]) =>
    project.post('/kind/unit', { id, parameters: ['n'], access: { read } });
  await ok(define('ruled', rules(LIMITS.accessRules)));
  const refused = await define('overruled', rules(LIMITS.accessRules + 1));
  expect(refusalOf(refused)).toEqual({ status: 400, messages: ['parameter.bad_value access'] });
  expect(refused.body.messages[0]?.text).toBe('access.read: at most 100 rules, got 101');
});

it("parameters in a kind's body beyond the limit are rejected before any is created", async () => {
  const project = await service.project();
  const parameters = Array.from({ length: LIMITS.parametersPerKind + 1 }, (_, at) => ({
    id: `p${at}`,
    kind_id: 'string',
  }));
  // The first request of a session reads the session.
  await ok(project.get('/kind/unit'));
  let refused: Reply | undefined;
  const statements = await project.statements(async () => {
    refused = await project.post('/kind/unit', { id: 'wide', parameters });
  });
  expect(refused && refusalOf(refused)).toEqual({ status: 400, messages: ['kind.bad_definition parameters'] });
  expect(refused?.body.messages[0]?.text).toBe('parameters: at most 400, got 401');
  // As many as a kind that is refused at once.
  expect(statements).toBe(await project.statements(() => project.post('/kind/unit', { id: 1 })));
});

it.each([
  { sort: 'parameters', path: '/string/unit', limit: 'parametersPerProject', table: '_parameter' },
  { sort: 'groups', path: '/group/unit', limit: 'groupsPerProject', table: 'group' },
  { sort: 'link types', path: '/link/unit', limit: 'linkTypesPerProject', table: 'link' },
] as const)('$sort', async ({ path, limit, table, sort }) => {
  lowerLimit(limit, 200);
  const allowed = 200;
  const project = await service.project();
  await ok(project.post(path, { id: 'first', label: 'First' }));
  await multiply(project, table, allowed - 2);
  await ok(project.post(path, { id: 'last', label: 'Last' }));
  const refused = await project.post(path, { id: 'one_more', label: 'One more' });
  expect(refusalOf(refused)).toEqual({ status: 409, messages: ['project.full'] });
  expect(refused.body.messages[0]?.text).toBe(
    `A project has at most ${allowed} ${sort}, and this one would have ${allowed + 1}`,
  );
  expect((await project.get(`${path}/one_more`)).status).toBe(404);
  await ok(project.put(`${path}/last`, { label: 'Renamed' }));
  await ok(project.delete(`${path}/last`));
});
