/** A new pattern is checked against all stored values, in slices along the key, for every type. */
import { describe, expect, it } from 'vitest';
import { schemaName } from '../../../src/model/names.js';
import { patternValuesStatement } from '../../../src/sql/definition/ddl.sql.js';
import { ok, query, refusalOf } from '../../support/definitions.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const project = await service.project();
const schema = schemaName(project.id);

/** More units than two slices hold. */
const UNITS = 20_005;

const KEYS = [
  { type: 'uuid', id: `gen_random_uuid()`, sample: '0198c0de-0000-7000-8000-000000000001' },
  { type: 'string', id: `'key ' || (n % 7) || chr(65 + n % 20) || n`, sample: 'key 3' },
  { type: 'integer', id: 'n - 10000', sample: '-500' },
  { type: 'decimal', id: `n / 100.0`, sample: '17.5' },
  { type: 'date', id: `'0900-01-01'::date + n`, sample: '2000-01-01' },
];

describe.each(KEYS)('values of units with a key of type $type', ({ type, id, sample }) => {
  const kind = `of_${type}`;
  it('are each read once', async () => {
    const key = type === 'uuid' ? [] : [{ id: `${kind}_key`, kind_id: type, is_primary: true }];
    await ok(project.post('/kind/unit', { id: kind, parameters: [...key, { id: `${kind}_word`, kind_id: 'string' }] }));
    await query(
      project,
      `INSERT INTO $schema."${kind}" ("id", "${kind}_word", "metadata", "inserted_at", "updated_at") SELECT ${id}, CASE WHEN n IN (1, 9999, 10001, 20001, ${UNITS}) THEN 'UPPER' WHEN n % 1000 = 0 THEN NULL ELSE 'lower' END, '{}', now(), now() FROM generate_series(1, ${UNITS}) AS n`,
    );
    const reply = await project.put(`/string/unit/${kind}_word`, { pattern: '^[a-z]+$' });
    expect(refusalOf(reply)).toEqual({ status: 409, messages: [`parameter.violated ${kind}_word`] });
    expect(reply.body.messages[0]?.text).toContain('5 units');
    await query(project, `UPDATE $schema."${kind}" SET "${kind}_word" = lower("${kind}_word")`);
    await ok(project.put(`/string/unit/${kind}_word`, { pattern: '^[a-z]+$' }));
  });

  it('are read in the order of the key index', async () => {
    const { text, values } = patternValuesStatement(schema, { table: kind }, `${kind}_word`, false, sample);
    const plan = await service.service.database.transaction(async (tx) => {
      for (const setting of ['enable_seqscan', 'enable_bitmapscan']) {
        await tx.run({ text: `SET LOCAL ${setting} = off`, values: [] });
      }
      return tx.run<Record<string, string>>({ text: `EXPLAIN ${text}`, values });
    });
    const steps = plan.map((row) => Object.values(row).join()).join('\n');
    expect(steps).toMatch(/Index Scan using \S+_pkey[^]*Index Cond: \(id > /);
    expect(steps).not.toContain('Sort');
  });
});

it.each([
  { kind: 'long_texts', multiple: false, value: `repeat('a', 1048576)` },
  { kind: 'long_lists', multiple: true, value: `ARRAY[repeat('a', 524288), repeat('b', 524288)]` },
])('$kind come in slices of some bytes', async ({ kind, multiple, value }) => {
  const word = `${kind}_word`;
  await ok(project.post('/kind/unit', { id: kind, parameters: [{ id: word, kind_id: 'string', multiple }] }));
  await query(
    project,
    `INSERT INTO $schema."${kind}" ("id", "${word}", "metadata", "inserted_at", "updated_at") SELECT gen_random_uuid(), ${value}, '{}', now(), now() FROM generate_series(1, 20) AS n`,
  );
  const sizes: number[] = [];
  for (let after: string | null = null; ;) {
    const rows: { id: string }[] = await service.service.database.run(
      patternValuesStatement(schema, { table: kind }, word, multiple, after),
    );
    after = rows.at(-1)?.id ?? null;
    if (after === null) break;
    sizes.push(rows.length);
  }
  expect(sizes).toEqual([8, 8, 4]);
});
