/** The examples of references in docs/filter.md and docs/model.md have the answers that are printed there. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defineKinds } from '../support/callers.js';
import { ok } from '../support/definitions.js';
import { sharedService } from '../support/service.js';
import { codeBlocks, tableRows } from './markdown.js';

const page = (name: string) => readFileSync(join(import.meta.dirname, '../../docs', name), 'utf8');
const section = (name: string, heading: string) =>
  page(name)
    .split(/^##+ /m)
    .find((part) => part.startsWith(`${heading}\n`)) ?? '';
const span = (cell: string | undefined) => /`(.*)`/.exec(cell ?? '')?.[1]?.trim() ?? '';

const project = await (await sharedService()).project();
await defineKinds(
  project,
  { id: 'continent', parameters: [{ id: 'name', kind_id: 'string' }] },
  {
    id: 'country',
    parameters: [
      'name',
      { id: 'area', kind_id: 'float' },
      { id: 'languages', kind_id: 'string', multiple: true },
      { id: 'extra', kind_id: 'json' },
      { id: 'continent', kind_id: 'unit', reference_kind: 'continent' },
    ],
  },
  {
    id: 'city',
    parameters: [
      'name',
      { id: 'country', kind_id: 'unit', reference_kind: 'country' },
      { id: 'twin', kind_id: 'unit', reference_kind: 'city' },
    ],
  },
);
const creating = codeBlocks(section('model.md', 'References')).find(({ info }) => info.startsWith('json POST'));
const city = (await ok(project.post((creating?.info ?? '').slice('json POST '.length), creating?.text))) as {
  id: string;
};

test('the body of docs/model.md creates all units in it, as docs/filter.md shows', async () => {
  const told = codeBlocks(section('filter.md', 'References')).find(({ info }) => info.startsWith('json include='));
  const include = (told?.info ?? '').slice('json '.length);
  expect(await ok(project.get(`/city/unit/${city.id}?${include}`))).toEqual(JSON.parse(told?.text ?? ''));
  const nested = codeBlocks(section('filter.md', 'References')).find(({ info }) => info.startsWith('json nest='));
  const shown = (await ok(project.get(`/city/unit/${city.id}?${(nested?.info ?? '').slice('json '.length)}`))) as {
    country: { id: string; continent: { id: string } };
  };
  const expected = JSON.parse(nested?.text ?? '') as typeof shown;
  expected.country.id = shown.country.id;
  expected.country.continent.id = shown.country.continent.id;
  expect(shown).toEqual(expected);
  expect((await project.post('/city/unit', { country: { name: 5 } })).body.messages).toMatchObject([
    { parameter: 'country.name' },
  ]);
});

const filters = codeBlocks(section('filter.md', 'References')).flatMap(({ info, text }) =>
  info === 'filter' ? text.split('\n') : [],
);
test.each(filters)('the filter %s is answered', async (filter) => {
  await ok(project.get(`/city/unit?filter=${encodeURIComponent(filter)}`));
});

test.each(tableRows(section('filter.md', 'References')).map(([query]) => span(query)))(
  'the query %s is answered',
  async (query) => {
    await ok(project.get(`/city/unit?${query}`));
  },
);

const errors = tableRows(section('filter.md', 'Errors of a path')).map((row) => row.map(span));
test.each(errors)('the filter %s is refused: %s', async (filter = '', error = '') => {
  const { body } = await project.get(`/city/unit?filter=${encodeURIComponent(filter)}`);
  expect(body.messages.map(({ code, text }) => `${code}: ${text}`)).toEqual([error]);
});

test('there are examples', () => {
  expect(Math.min(filters.length - 6, errors.length)).toBeGreaterThan(2);
});
