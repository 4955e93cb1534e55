/**
 * A project with many kinds, written directly into its definition tables, because defining them one by one takes
 * minutes.
 */
import { query } from './definitions.js';
import { defineKinds } from './callers.js';
import type { TestProject } from './service.js';

/** Kinds `large_0` and so on, which share parameters `shared_0` and so on. Their units have no tables. */
export async function defineMany(project: TestProject, kinds: number, parameters: number): Promise<void> {
  const first = {
    id: 'shared_0',
    kind_id: 'string',
    label: 'What they share',
    max_length: 100,
    helper_text: 'As it is',
  };
  await defineKinds(project, { id: 'large_0', parameters: [first] });
  const copies = (table: string, id: string, count: number, changes: string) =>
    query(
      project,
      `WITH copies AS MATERIALIZED (SELECT (jsonb_populate_record(one, jsonb_build_object('id', '${id}_' || n${changes}))).* FROM $schema."${table}" AS one, generate_series(1, $1::int - 1) AS n WHERE one."id" = '${id}_0')
       INSERT INTO $schema."${table}" SELECT * FROM copies`,
      [count],
    );
  await copies('_parameter', 'shared', parameters, '');
  const all = `(SELECT array_agg('shared_' || p ORDER BY p) FROM generate_series(0, ${parameters - 1}) AS p)`;
  await copies('kind', 'large', kinds, `, 'parameters', to_jsonb(${all})`);
  await query(project, `UPDATE $schema."_model" SET "version" = "version" + 1`);
}
