/** The largest questions to a group of many kinds keep nobody waiting while they are planned. */
import { beforeAll, expect, it } from 'vitest';
import { defineKinds } from '../support/callers.js';
import { ok, query } from '../support/definitions.js';
import { beside, quietNote } from '../support/neighbour.js';
import { sharedService } from '../support/service.js';

const [KINDS, OF_EACH] = [400, 40];
/** Milliseconds. Before names and sizes were bounded, these requests took 15 to 30 seconds. */
const BOUND = 1000;

const service = await sharedService();
const quiet = await service.project();
const note = await quietNote(quiet);
const project = await service.project();

/** Kinds `k0` and so on, with parameters of their own, `p0` and so on. They have no tables. */
beforeAll(async () => {
  await defineKinds(project, {
    id: 'k0',
    parameters: [
      { id: 'p0', kind_id: 'string' },
      { id: 'name', kind_id: 'string' },
    ],
  });
  await defineKinds(project, { id: 'base', parameters: ['name', { id: 'code', kind_id: 'string', is_primary: true }] });
  await ok(project.post('/base/unit', { code: 'b' }));
  await defineKinds(project, {
    id: 'comment',
    parameters: [{ id: 'of', kind_id: 'unit', reference_kind: 'base' }, 'name'],
  });
  const copies = (table: string, of: string, count: number, changes: string) =>
    query(
      project,
      `WITH copies AS MATERIALIZED (
          SELECT (jsonb_populate_record(one, jsonb_build_object('id', '${of}' || n${changes}))).*
          FROM $schema."${table}" AS one, generate_series(1, ${count - 1}) AS n
          WHERE one."id" = '${of}0'
        )
        INSERT INTO $schema."${table}" SELECT * FROM copies`,
    );
  await copies('_parameter', 'p', KINDS * OF_EACH, '');
  const own = `(SELECT array_agg('p' || p ORDER BY p) FROM generate_series(n * ${OF_EACH}, n * ${OF_EACH} + ${OF_EACH - 1}) AS p)`;
  await copies('kind', 'k', KINDS, `, 'parameters', to_jsonb(array_append(${own}, 'name'))`);
  await query(project, `UPDATE $schema."_model" SET "version" = "version" + 1`);
  const kinds = Array.from({ length: KINDS }, (_, at) => `k${at}`);
  await ok(project.post('/group/unit', { id: 'all', kind_list: kinds }));
}, 120_000);

const names = (count: number, of = 'p') => Array.from({ length: count }, (_, at) => `${of}${at * 3 + 40}`);
const tests = (count: number) => Array.from({ length: count }, (_, at) => `eq(name,${at})`).join();

it.each([
  ['a filter of 200 tests', `/group/all/unit?filter=or(${tests(200)})`],
  ['many fields', `/group/all/unit?include=${names(4200).join()}`],
  ['many fields left out', `/group/all/unit?exclude=${names(4200).join()}`],
  ['unknown fields', `/group/all/unit?include=${names(4200, 'q').join()}`],
  ['unknown orders', `/group/all/unit?order=${names(16, 'q').join('&order=')}`],
  [
    'related units',
    `/group/all/unit?include=${names(4, 'c')
      .map((name) => `${name}:related(comment.of,or(${tests(190)}))`)
      .join()}`,
  ],
  [
    'fifty functions',
    `/group/all/aggregate?select=${names(50, 'n')
      .map((name, at) => `${name}:max(p${at * 7 + 40})`)
      .join()}`,
  ],
  [
    'fifty filters',
    `/group/all/aggregate?${names(50, 'n')
      .map((name) => `select=${name}:count(or(${tests(15)}))`)
      .join('&')}`,
  ],
  [
    'fifty unknown names',
    `/group/all/aggregate?select=${names(50, 'n')
      .map((name, at) => `${name}:max(parameter_${at})`)
      .join()}`,
  ],
  ['groups and orders', `/group/all/aggregate?group=${names(20).join()}&order=${names(16).join('&order=')}`],
  ['related units of linked ones', `/base/unit/b/link/child?filter=and(exists(comment.of),or(${tests(190)}))`],
])('%s: nobody waits while it is planned', { timeout: 120_000 }, async (_, path) => {
  const { waits } = await beside(quiet, note, () => project.get(path));
  expect(Math.max(...waits)).toBeLessThan(BOUND);
});
