/** The index of an `indexed` text serves filters for its beginning and for parts of it, and finds what a scan finds. */
import { describe, expect, it } from 'vitest';
import { IndexBuilder } from '../../../src/catalog/indexes/index-builder.js';
import { Provisioning } from '../../../src/catalog/project/provisioning.js';
import { defineKinds } from '../../support/callers.js';
import { definitionsOf, expectNoDrift, ok, query } from '../../support/definitions.js';
import { ownDatabase, startServiceOn } from '../../support/own-database.js';
import { observeStatements } from '../../support/sent-statements.js';
import type { Statement } from '../../../src/sql/fragment.js';
import type { TestProject } from '../../support/service.js';

const UNITS = 10_000;

// A database of its own, from which a test drops the extension.
const connection = await ownDatabase();
const service = await startServiceOn(connection);
const project = await service.project();

/** The same texts in a parameter with an index and in one without. */
const NAMES = [
  'ÉCOLE Söder',
  'école norr',
  'ΟΔΥΣΣΕΥΣ',
  'οδυσσευς',
  'İstanbul',
  'San_José 100%',
  'san josé',
  'Привет МИР',
];

const define = (of: TestProject) =>
  defineKinds(of, {
    id: 'city',
    parameters: [
      { id: 'name', kind_id: 'string', indexed: true },
      { id: 'plain', kind_id: 'string' },
    ],
  });

await define(project);
await ok(project.post('/city/unit', NAMES.map((name) => ({ name, plain: name })))); // prettier-ignore
await query(
  project,
  `INSERT INTO $schema."city" ("id", "name", "plain", "metadata", "inserted_at", "updated_at")
   SELECT gen_random_uuid(), t.name, t.name, '{}', now(), now() FROM (SELECT md5(n::text) AS name FROM generate_series(1, ${UNITS}) AS n) AS t`,
);
await query(project, 'VACUUM ANALYZE $schema."city"');

const found = async (filter: string, of = project): Promise<string[]> => {
  const { items } = (await ok(
    of.get(`/city/unit?include=plain&limit=1000&count=none&filter=${encodeURIComponent(filter)}`),
  )) as { items: { plain: string }[] };
  return items.map(({ plain }) => plain).sort();
};

/** The texts of the nodes of the plan of a list. */
async function planOf(filter: string): Promise<string> {
  const sent: Statement[] = [];
  const stop = observeStatements(service.service.database, (statement) => sent.push(statement));
  await found(filter).finally(stop);
  const list = sent.find(({ text }) => text.includes('_page'));
  if (!list) throw new Error('no list');
  const rows = await service.service.database.run<{ 'QUERY PLAN': string }>({
    text: `EXPLAIN ${list.text}`,
    values: list.values,
  });
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

describe('filters on an indexed text', () => {
  it.each(['contains', 'icontains', 'endswith', 'iendswith', 'istartswith'])(
    '%s reads the index of parts',
    async (op) => {
      expect(await planOf(`${op}(name,5a5b)`)).toContain('_trgm');
      expect(await planOf(`${op}(plain,5a5b)`)).not.toContain('_trgm');
    },
  );

  it('similar reads the index of parts, from the default on', async () => {
    expect(await planOf('similar(name,5a5b,0.4)')).toContain('_trgm');
    expect(await planOf('similar(name,5a5b)')).toContain('_trgm');
    expect(await planOf('similar(name,5a5b,0.2)')).not.toContain('_trgm');
    expect(await planOf('similar(plain,5a5b)')).not.toContain('_trgm');
  });

  it('similar finds what it finds without an index', async () => {
    for (const value of ['école', 'san jose', 'Istanbul', 'привет мир', 'fade12', '5a5b5c', '']) {
      for (const least of ['', ',0.3', ',0.45', ',0.1', ',1']) {
        const [indexed, plain] = [
          await found(`similar(name,"${value}"${least})`),
          await found(`similar(plain,"${value}"${least})`),
        ];
        expect([value, least, indexed]).toEqual([value, least, plain]);
      }
    }
    const both = 'and(similar(name,"san jose",0.9),similar(name,san jose 100,0.3))';
    expect(await found(both)).toEqual(await found(both.replaceAll('name', 'plain')));
  });

  it('startswith, eq and the order read the other one', async () => {
    expect(await planOf('startswith(name,5a5b)')).toContain('_city_name_id_');
    expect(await planOf('eq(name,5a5b)')).toContain('_city_name_id_');
  });

  it.each(['contains', 'icontains', 'startswith', 'istartswith', 'endswith', 'iendswith'])(
    '%s finds what it finds without an index',
    async (op) => {
      const values = ['École', 'école', 'ÉCOLE', 'ΣΣΕΥΣ', 'ΣΕΥΣ', 'σσευσ', 'σευς', 'ΥΣ', 'İst', 'istanbul', 'San_', 'san_jo', 'josé', '100%', '%', 'ab', 'fade', 'FADE', 'Привет', 'привет', 'мир', 'ole s']; // prettier-ignore
      for (const value of values) {
        const [indexed, plain] = [await found(`${op}(name,"${value}")`), await found(`${op}(plain,"${value}")`)];
        expect([value, indexed]).toEqual([value, plain]);
      }
      expect(await found(`not(${op}(name,a))`)).toEqual(await found(`not(${op}(plain,a))`));
    },
  );
});

it('a database without the extension has all but the index for parts, and gets it by a migration', async () => {
  const other = await service.project();
  await define(other);
  await expectNoDrift(other);
  await query(other, 'DROP EXTENSION pg_trgm CASCADE');
  await ok(other.delete('/kind/unit/city'));
  await define(other);
  await ok(other.post('/city/unit', { name: 'Rome', plain: 'Rome' }));
  expect(await found('icontains(name,OME)', other)).toEqual(['Rome']);
  for (const query of ['filter=similar(name,rome)', 'order=similarity(name,rome)']) {
    const { status, body } = await other.get(`/city/unit?${query}`);
    expect([status, body.messages[0]?.code]).toEqual([400, 'filter.no_trigrams']);
  }
  const provisioning = service.service.app.get(Provisioning);
  expect(await provisioning.migrate(other.id)).toEqual({ steps: 0, leftAlone: [] });
  await service.service.app.get(IndexBuilder).finish();
  const methods = async () =>
    [...(await definitionsOf(other)).tables.get('city')!.indexes.values()].map((index) => index.method);
  expect(await methods()).toEqual(['btree']);
  // In another schema than the service's own.
  await query(other, 'CREATE EXTENSION pg_trgm WITH SCHEMA public');
  expect(await provisioning.migrate(other.id)).toEqual({ steps: 1, leftAlone: [] });
  expect((await methods()).sort()).toEqual(['btree', 'trigram']);
  expect(await found('similar(name,rome,1)', other)).toEqual(['Rome']);
  await expectNoDrift(other);
});
