/** Searches read an index, whichever texts the caller may read, and it is built in the background for large kinds. */
import { expect, it } from 'vitest';
import { IndexBuilder } from '../../../src/catalog/indexes/index-builder.js';
import type { Statement } from '../../../src/sql/fragment.js';
import { asMember, defineKinds } from '../../support/callers.js';
import { expectNoDrift, ok, query } from '../../support/definitions.js';
import { observeStatements } from '../../support/sent-statements.js';
import { sharedService, type TestProject } from '../../support/service.js';

const UNITS = 30_000;

const service = await sharedService();
const project = await service.project();
await defineKinds(
  project,
  {
    id: 'article',
    access: { read: 'anyone' },
    parameters: [
      { id: 'title', kind_id: 'string', search: 'english' },
      { id: 'body', kind_id: 'text', search: 'english', read_access: 'member' },
      { id: 'article_notes', kind_id: 'text', search: 'english', read_access: 'admin' },
    ],
  },
  { id: 'person' },
);
await ok(project.post('/group/unit/kind_auth_member/link/group/kind/unit/person'));
await query(
  project,
  `INSERT INTO $schema."article" ("id", "title", "body", "metadata", "inserted_at", "updated_at")
   SELECT gen_random_uuid(), 'word' || n, 'other' || n, '{}', now(), now() FROM generate_series(1, ${UNITS}) AS n`,
);
await query(project, 'VACUUM ANALYZE $schema."article"');
const member = await asMember(project, 'person');

async function planOf(path: string, as: TestProject): Promise<string> {
  const sent: Statement[] = [];
  const stop = observeStatements(service.service.database, (statement) => sent.push(statement));
  await ok(as.get(path)).finally(stop);
  const read = sent.find(({ text }) => text.includes('to_tsvector'));
  if (!read) throw new Error('no search');
  const rows = await service.service.database.run<{ 'QUERY PLAN': string }>({
    text: `EXPLAIN ${read.text}`,
    values: read.values,
  });
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

it.each([
  ['anyone', project.as(undefined), '_article_title_english_'],
  ['a member', member, '_article_body_title_english_'],
  ['an administrator', project, '_article_article_notes_body_title_'],
])('of %s, with the texts that it may read', async (_, as, index) => {
  expect(await planOf('/article/unit?search=word77', as)).toContain(index);
  expect(await planOf('/article/aggregate?select=count()&search=word77', as)).toContain(index);
  expect(await planOf('/article/unit?search=word77&cursor=&order=title;asc', as)).toContain(index);
});

it('the tables are those of the definitions, also after the texts of a large kind have become searchable', async () => {
  await expectNoDrift(project);
  await defineKinds(project, { id: 'song', parameters: [{ id: 'lyrics', kind_id: 'text' }] });
  await query(
    project,
    `INSERT INTO $schema."song" ("id", "lyrics", "metadata", "inserted_at", "updated_at")
     SELECT gen_random_uuid(), 'word' || n, '{}', now(), now() FROM generate_series(1, ${UNITS}) AS n`,
  );
  await ok(project.put('/text/unit/lyrics', { search: 'simple' }));
  expect(await ok(project.get('/song/unit?search=word77&include=lyrics'))).toMatchObject({ count: 1 });
  await service.service.app.get(IndexBuilder).finish();
  await expectNoDrift(project);
  expect(await planOf('/song/unit?search=word77', project)).toContain('_song_lyrics_simple_');
  await ok(project.put('/text/unit/lyrics', { search: 'german' }));
  await service.service.app.get(IndexBuilder).finish();
  await expectNoDrift(project);
});
