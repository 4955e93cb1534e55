/** A project that is restored from a dump while the service runs, not in one transaction, soon works as before. */
import { expect, it, vi } from 'vitest';
import { schemaName } from '../../../src/model/names.js';
import { anonymous, defineKinds } from '../../support/callers.js';
import { createdId, expectNoDrift, ok } from '../../support/definitions.js';
import { startTestService, type Reply, type TestProject } from '../../support/service.js';
import { sideConnection } from '../../support/side-connection.js';

const service = await startTestService();
const side = await sideConnection();

interface Named {
  readonly name: string;
  readonly text: string;
}

/**
 * The schema goes, and comes back as a restore makes it, each statement a transaction by itself: the tables, their rows in
 * `order` (those of `piecemeal` one at a time), what holds of them.
 */
async function* restored(
  { id }: TestProject,
  order: (tables: string[]) => string[],
  piecemeal: readonly string[],
): AsyncGenerator<string> {
  const schema = schemaName(id);
  const dump = `dump_${id}`;
  const run = async (...words: string[]): Promise<string> => {
    await side.rows(words.join(' '));
    return words.join(' ');
  };
  const definitions = async (text: string, from: string): Promise<Named[]> => {
    const rows = await side.rows<Named>(`SELECT ${text} AS text, c.relname AS name FROM ${from}`, [dump]);
    return rows.map((row) => ({ ...row, text: row.text.replaceAll(dump, schema) }));
  };
  yield run('ALTER SCHEMA', schema, 'RENAME TO', dump);
  await run('CREATE SCHEMA', schema);
  await run('CREATE COLLATION', `${schema}._fold FROM ${dump}._fold`);
  const found = await side.rows<{ name: string }>(
    'SELECT tablename AS name FROM pg_tables WHERE schemaname = $1 ORDER BY tablename COLLATE "C"',
    [dump],
  );
  const tables = found.map(({ name }) => name);
  for (const name of tables) {
    await run(
      'CREATE TABLE',
      `${schema}."${name}" (LIKE ${dump}."${name}" INCLUDING DEFAULTS INCLUDING IDENTITY INCLUDING STORAGE)`,
    );
  }
  await run(
    `SELECT setval(pg_get_serial_sequence('${schema}._outbox', 'id'), nextval(pg_get_serial_sequence('${dump}._outbox', 'id')))`,
  );
  yield 'the tables';
  for (const name of order(tables)) {
    const all = `INSERT INTO ${schema}."${name}" SELECT * FROM ${dump}."${name}" AS t`;
    const rows = piecemeal.includes(name) ? await side.rows<{ id: string }>(`SELECT id FROM ${dump}."${name}"`) : [];
    for (const row of rows) yield run(all, `WHERE t.id = '${row.id}'`);
    if (rows.length === 0) yield run(all);
  }
  const ofTables = 'pg_class c ON c.oid = %.relation AND c.relnamespace = ($1::text)::regnamespace';
  const constraints = await definitions(
    "format('ALTER TABLE %I.%I ADD CONSTRAINT %I %s', $1::text, c.relname, x.conname, pg_get_constraintdef(x.oid))",
    `pg_constraint x JOIN ${ofTables.replace('%.relation', 'x.conrelid')} WHERE x.contype <> 'n' ORDER BY x.contype DESC`,
  );
  const indexes = await definitions(
    'pg_get_indexdef(x.indexrelid)',
    `pg_index x JOIN ${ofTables.replace('%.relation', 'x.indrelid')} WHERE NOT EXISTS (SELECT FROM pg_constraint n WHERE n.conindid = x.indexrelid)`,
  );
  const references = constraints.filter(({ text }) => text.includes(' FOREIGN KEY '));
  for (const { text } of constraints) if (!text.includes(' FOREIGN KEY ')) await run(text);
  yield 'the constraints';
  for (const { text } of [...indexes, ...references]) await run(text);
  yield run('DROP SCHEMA', dump, 'CASCADE');
}

const requests: readonly ((project: TestProject) => Promise<Reply>)[] = [
  (project) => project.get('/city/unit'),
  (project) => anonymous(project).get('/city/unit'),
  (project) => project.get('/land/unit'),
  (project) => project.get('/group/places/unit'),
  (project) => project.get('/city/struct'),
  (project) => project.get('/kind/unit/land'),
];

it.each<[string, (tables: string[]) => string[], string[]]>([
  ['sorted by name, as pg_dump does', (tables) => tables, []],
  ['the other way round', (tables) => tables.toReversed(), []],
  ['definitions row by row', (tables) => tables, ['kind', 'group', '_parameter']],
])('%s', async (_, order, piecemeal) => {
  const project = await service.project();
  await defineKinds(
    project,
    { id: 'land', parameters: [{ id: 'name', kind_id: 'string', indexed: true }] },
    {
      id: 'city',
      public: true,
      parameters: ['name', { id: 'land', kind_id: 'unit', reference_kind: 'land' }, { id: 'size', kind_id: 'integer' }],
    },
  );
  await ok(project.post('/group/unit', { id: 'places', kind_list: ['city', 'land'] }));
  const id = await createdId(project.post('/land/unit', { name: 'Italy' }));
  await ok(project.post('/city/unit', { name: 'Rome', land: id, size: 1 }));
  const ask = () => Promise.all(requests.map(async (request) => request(project)));
  const told = (replies: readonly Reply[]) => replies.map(({ status, body }) => ({ status, body }));
  const before = told(await ask());
  expect(before.map(({ status }) => status)).toEqual(requests.map(() => 200));

  for await (const step of restored(project, order, piecemeal)) {
    for (const { status, body } of await ask()) {
      expect({ step, status, messages: body.messages }).not.toMatchObject({ status: 500 });
    }
  }
  await vi.waitFor(async () => expect(told(await ask())).toEqual(before), { timeout: 5000, interval: 100 });
  await ok(project.put('/kind/unit/city', { label: 'Town' }));
  await expectNoDrift(project);
});
