/** References in paths: each is one segment, or one value of the query, whatever its characters. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fillPath } from '../../../src/batch/references.js';
import { parseFilter } from '../../../src/filter/filter.parser.js';
import { parseRelatedTerm } from '../../../src/filter/include.parser.js';
import { parseOrder } from '../../../src/filter/order.js';
import { urlQueryParameters } from '../../../src/http/route/parse-list-query.js';
import { unbracket } from '../../../src/http/route/query-reader.js';
import { UNITS_QUERY } from '../../../src/http/route/query-names.js';
import { KindError } from '../../../src/shared/errors.js';
import type { Json } from '../../../src/shared/json.js';

const NASTY = [
  '"',
  '\\',
  ',',
  '(',
  ')',
  '[',
  ']',
  '&',
  '#',
  '%',
  '+',
  '/',
  '..',
  '\n',
  ' ',
  ';',
  '=',
  '-',
  '@',
  '{',
  '}',
];
const texts = fc
  .array(fc.oneof(fc.constantFrom(...NASTY, '"),all(),eq(title,"y', '\ue000', 'ü', '😀', '%22', ''), fc.string()), {
    maxLength: 6,
  })
  .map((parts) => parts.join(''))
  .filter((text) => !text.includes('\0') && text.isWellFormed());

const fill = (path: string, answer: Json, known: readonly string[] = UNITS_QUERY) =>
  fillPath(path, new Map([['a', answer]]), () => known);

/** The text of a query parameter of a filled path, of which it has one. */
function filled(name: string, template: string, answer: Json): string {
  const entries = urlQueryParameters(fill(`/x/unit?${name}=${template}&limit=1`, answer));
  expect(entries.map(([each]) => each)).toEqual([name, 'limit']);
  return entries[0]?.[1] ?? '';
}

/** A syntax tree without positions and the way of writing. */
const meaning = (tree: unknown): unknown =>
  JSON.parse(
    JSON.stringify(tree, (key, value: unknown) => (key === 'at' || value === 'quoted' ? undefined : value)).replaceAll(
      '"type":"bare",',
      '',
    ),
  );

/** Filters with a text `%`, in every place where a value can stand, and their values. */
const PLACES: [template: string, ...values: string[]][] = [
  ['eq(title,{a.t})', '%'],
  ['eq(title,"{a.t}")', '%'],
  ['eq(title,%22{a.t}%22)', '%'],
  ['eq(title,%20{a.t}%20)', '%'],
  ['startswith(title,"x%20{a.t}")', 'x %'],
  ['startswith(title,x%20{a.t})', 'x %'],
  ['eq(title,"%5C%22{a.t}%5C%5C")', '"%\\'],
  ['eq(title,a,+"{a.t}")', 'a, "%"'],
  ['eq(title,(5"+{a.t}))', '(5" %)'],
  ['in(title,{a.t},{a.t}-{a.t})', '%', '%-%'],
  ['in(title,[{a.t},"{a.t}",y])', '%', '%', 'y'],
  ['contains(tags,[{a.t}])', '%'],
  ['and(or(not(eq(title,"{a.t}"))),eq(meta."a.b",{a.t}))', '%', '%'],
  ['near(lat,lon,1,2,{a.t})', '1', '2', '%'],
  ['exists(post.author,eq(title,"{a.t}"))', '%'],
  ['gt(count_linked(link,child,post,eq(title,{a.t})),3)', '%', '3'],
  ['eq(title,"%EE%80%80{a.t}")', '\ue000%'],
];

describe('a text in a filter', () => {
  it.each(PLACES)('is one value in %s', (template, ...values) => {
    fc.assert(
      fc.property(texts, (t) => {
        const found: string[] = [];
        JSON.stringify(parseFilter(filled('filter', template, { t })), (_, node: unknown) => {
          if (typeof node === 'object' && node !== null && 'text' in node) found.push(node.text as string);
          return node;
        });
        expect(found.sort()).toEqual(values.map((value) => value.replaceAll('%', () => t)).sort());
      }),
      { numRuns: 40 },
    );
  });

  it('leaves the rest of it as it is', () => {
    const template = 'and(eq(title,"{a.t}"),or(in(x,{a.t}),not(isnull(y,{a.flag}))))';
    const expected = meaning(parseFilter(template.replaceAll('{a.t}', 'harmless').replace('{a.flag}', 'false')));
    fc.assert(
      fc.property(texts, (text) => {
        const t = `§${text}`;
        const tree = JSON.stringify(meaning(parseFilter(filled('filter', template, { t, flag: false }))));
        expect(JSON.parse(tree.replaceAll(JSON.stringify(t), '"harmless"'))).toEqual(expected);
      }),
    );
  });
});

describe('a text in another query parameter', () => {
  it('is one value', () => {
    fc.assert(
      fc.property(texts, (t) => {
        expect(filled('cursor', '{a.t}', { t })).toBe(t);
        expect(filled('limit', '1{a.t}', { t })).toBe(`1${t}`);
        expect(meaning(parseOrder(filled('order', 'distance(x,y,"{a.t}",1);desc', { t })))).toMatchObject([
          { value: { point: [{ text: t }, { text: '1' }] }, descending: true },
        ]);
        const terms = unbracket(
          filled('include', '[name,c:related(post.a,eq(t,{a.t}),order=-x,limit={a.n}),{a.f}]', { t, n: 3, f: 'z' }),
        );
        expect([terms.length, terms[0], terms[2]]).toEqual([3, 'name', 'z']);
        expect(parseRelatedTerm(terms[1] ?? '')).toMatchObject({
          related: { filter: { op: 'eq', value: { text: t } } },
          list: { limit: 3 },
        });
        const searched = filled('search', 'cat+-"{a.t}"+{a.t}', { t }).split('"');
        expect([searched.length, searched[0], searched[2], searched[4]]).toEqual([5, 'cat -', ' ', '']);
      }),
    );
  });

  it('is plain where the route has no such parameter, as a function', () => {
    fc.assert(
      fc.property(texts, (t) => {
        expect(urlQueryParameters(fill('/f?filter={a.t}&b', { t }, []))).toEqual([
          ['filter', t],
          ['b', ''],
        ]);
      }),
    );
  });

  it.each(['order', 'include', 'exclude', 'link_id', 'kind_id', 'include_linked'])(
    'is a word as a name in %s',
    (name) => {
      expect(filled(name, '{a.t}', { t: 'title' })).toBe('title');
      for (const t of ['a,b', 'a.b', '-a', 'a;desc', '[a]', 'a"', 'n:count_related(x.y)', '']) {
        expect(() => filled(name, '{a.t}', { t }), t).toThrow(KindError);
      }
    },
  );
});

it('a text is one segment of a path', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const t = `${text}/`;
      expect(fill('/x/unit/{a.t}/y?z', { t }).split(/[/?]/)).toEqual([
        '',
        'x',
        'unit',
        encodeURIComponent(t),
        'y',
        'z',
      ]);
    }),
  );
});

it('numbers and booleans stand as they are', () => {
  expect(filled('filter', 'and(gt(n,{a.n}),eq(b,"{a.b}"),in(n,[{a.n},1]))', { n: 1e21, b: true })).toBe(
    'and(gt(n,1e+21),eq(b,"true"),in(n,[1e+21,1]))',
  );
  expect(fill('/x/unit/{a.n}', { n: -1.5 })).toBe('/x/unit/-1.5');
});

it.each([
  ['?{a.t}=1', { t: 'filter' }, /no name of a query parameter/],
  ['?filter={a.t}', { t: 'all()' }, /unknown operator '\{…\}' at character 1/],
  ['?filter={a.t}(x,1)', { t: 'eq' }, /unknown operator '\{…\}' at character 1/],
  ['?filter=isnull(x,{a.t})', { t: 'true' }, /expected true or false/],
  ['?filter=eq({a.t},x)', { t: 'a.b' }, /letters, digits and _/],
  ['?filter=eq(x,{a.t})', { t: null }, /is null; a path takes/],
  ['?filter=eq(x,{a.t})', { t: [1] }, /is array; a path takes/],
  ['?filter=eq(x,{a.t})', { t: {} }, /is object; a path takes/],
  ['?filter=eq(x,{a.t})', { t: '\ud800' }, /is string; a path takes/],
  ['/{a.t}', { t: '' }, /is empty/],
])('refuses %s', (query, answer, text) => {
  expect(() => fill(`/x/unit${query}`, answer)).toThrow(text);
});
