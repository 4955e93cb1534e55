/** Filters with references match the units whose values equal those of the answer, whatever their characters. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { defineKinds } from '../../support/callers.js';
import { ok } from '../../support/definitions.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const project = await service.project();
await defineKinds(project, {
  id: 'note',
  parameters: [
    { id: 'title', kind_id: 'string' },
    { id: 'pages', kind_id: 'integer' },
    { id: 'price', kind_id: 'decimal' },
    { id: 'day', kind_id: 'date' },
    { id: 'done', kind_id: 'boolean' },
    { id: 'more', kind_id: 'json' },
  ],
});
const PARTS = [
  '"',
  '\\',
  ',',
  ')',
  '(',
  ']',
  '[',
  '&',
  '#',
  '%',
  '+',
  '/',
  '\n',
  ' ',
  'a',
  'ü',
  '%22',
  '..',
  '"),all(),eq(title,"',
];
const titles = fc.sample(
  fc.array(fc.constantFrom(...PARTS), { maxLength: 4 }).map((parts) => parts.join('')),
  { numRuns: 40 },
);
const bodies = titles.map((title, at) => ({
  title,
  pages: at % 3,
  price: `${at % 4}.5`,
  day: `2024-01-0${(at % 5) + 1}`,
  done: at % 2 === 0,
  more: { key: title },
}));
type Note = (typeof bodies)[number] & { id: string };
const notes = (await ok(project.post('/note/unit', bodies))).items as Note[];

const READS: [filter: string, equal: (one: Note, other: Note) => boolean][] = [
  ['eq(title,{a.title})', (one, other) => one.title === other.title],
  ['in(title,["{a.title}",{a.title}])', (one, other) => one.title === other.title],
  [
    'and(startswith(title,"{a.title}"),endswith(title,{a.title}),eq(more.key,{a.more.key}))',
    (one, other) => one.title === other.title,
  ],
  ['or(eq(id,{a.id}),in(id,"{a.id}",{a.id}))', (one, other) => one.id === other.id],
  [
    'and(eq(pages,{a.pages}),eq(price,{a.price}),lte(day,{a.day}),gte(day,"{a.day}"),eq(done,"{a.done}"))',
    (one, other) =>
      one.pages === other.pages && one.price === other.price && one.day === other.day && one.done === other.done,
  ],
];

it('reads and deletes the units with that value', async () => {
  for (const note of notes) {
    const { items } = await ok(
      project.post('/batch?dry_run=true', {
        operations: [
          { as: 'a', method: 'GET', path: `/note/unit/${note.id}` },
          ...READS.map(([filter]) => ({ method: 'GET', path: `/note/unit?include=id&filter=${filter}` })),
          { method: 'DELETE', path: '/note/unit?filter=eq(title,"{a.title}")' },
        ],
      }),
    );
    const contents = (items as { content: { count: number; items: { id: string }[] } }[]).map(({ content }) => content);
    for (const [at, [filter, equal]] of READS.entries()) {
      const expected = notes.filter((each) => equal(each, note)).map(({ id }) => id);
      expect(
        contents[at + 1]?.items.map(({ id }) => id),
        `${note.title} in ${filter}`,
      ).toEqual(expected);
    }
    expect(contents.at(-1)?.count).toBe(notes.filter(({ title }) => title === note.title).length);
  }
});
