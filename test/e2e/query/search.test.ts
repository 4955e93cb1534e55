/** Search: the words of all searchable texts that the caller may read. */
import { describe, expect, it } from 'vitest';
import { asMember, defineKinds } from '../../support/callers.js';
import { expectNoDrift, ok } from '../../support/definitions.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const project = await service.project();
await defineKinds(
  project,
  {
    id: 'article',
    access: { read: 'anyone' },
    parameters: [
      { id: 'title', kind_id: 'string', search: 'english' },
      { id: 'body', kind_id: 'text', search: 'english' },
      { id: 'notes', kind_id: 'text', search: 'english', read_access: 'member' },
      { id: 'secret', kind_id: 'string', search: 'english', read_access: 'admin' },
      { id: 'state', kind_id: 'string' },
    ],
  },
  { id: 'film', access: { read: 'anyone' }, parameters: [{ id: 'name', kind_id: 'string', search: 'simple' }] },
  { id: 'person', access: { read: 'anyone' }, parameters: [{ id: 'age', kind_id: 'integer' }] },
);
await ok(project.post('/group/unit', { id: 'works', kind_list: ['article', 'film', 'person'] }));
await ok(project.post('/group/unit/kind_auth_member/link/group/kind/unit/person'));
await ok(
  project.post('/article/unit', [
    { title: 'Big cats', body: 'Lions were running in the desert', notes: 'zebra', secret: 'unicorn', state: 'new' },
    { title: 'A dog', body: 'and a big cat', state: 'new' },
    { title: 'Été à Paris', body: 'œuvre', state: 'old' },
    { title: 'Cats alone', body: null, state: 'old' },
  ]),
);
await ok(project.post('/film/unit', [{ name: 'The big sleep' }, { name: 'Cats' }]));
const member = await asMember(project, 'person');
const anonymous = project.as(undefined);

const titlesFor = async (search: string, as = anonymous, more = ''): Promise<string[]> => {
  const path = `/article/unit?search=${encodeURIComponent(search)}${more}`;
  const { count, items } = (await ok(as.get(path))) as { count: number; items: { title: string }[] };
  expect(count).toBe(items.length);
  return items.map(({ title }) => title);
};

describe('words', () => {
  it.each([
    ['big cat', ['Big cats', 'A dog']],
    ['big cat -dog', ['Big cats']],
    ['"big cat"', ['Big cats', 'A dog']],
    ['"cat big"', []],
    ['lion or dog', ['Big cats', 'A dog']],
    ['run', ['Big cats']],
    ['ÉTÉ', ['Été à Paris']],
    ['ŒUVRE paris', ['Été à Paris']],
    ['-cat', ['Été à Paris']],
    ['the', []],
    [`it's "(' & | ! <-> :* \\`, []],
  ])('%s', async (search, titles) => {
    expect(await titlesFor(search)).toEqual(titles);
  });

  it('of a search are combined with filter, order and pages', async () => {
    expect(await titlesFor('cat', anonymous, '&filter=eq(state,new)&order=title;asc')).toEqual(['A dog', 'Big cats']);
    const { count, items } = (await ok(anonymous.get('/article/unit?search=cat&limit=1&offset=1'))) as {
      count: number;
      items: { title: string }[];
    };
    expect([count, items.map(({ title }) => title)]).toEqual([3, ['A dog']]);
    expect(await ok(anonymous.get('/article/unit?search=cat&limit=0'))).toMatchObject({ count: 3, items: [] });
  });

  it('are read as they are at that time', async () => {
    const { items } = (await ok(project.get('/article/unit?search=alone'))) as { items: { id: string }[] };
    await ok(project.put(`/article/unit/${items[0]?.id}`, { body: 'an armadillo' }));
    expect(await titlesFor('armadillo')).toEqual(['Cats alone']);
    await ok(project.put(`/article/unit/${items[0]?.id}`, { body: null }));
    expect(await titlesFor('armadillo')).toEqual([]);
  });

  it('beyond the limit of a unit are not found, and a unit of any size is stored', async () => {
    const words = Array.from({ length: 150_000 }, (_, at) => `w${at.toString(36)}`).join(' ');
    const { id } = (await ok(project.post('/article/unit', { title: 'Long', body: `first ${words} last` }))) as {
      id: string;
    };
    expect(await titlesFor('first')).toEqual(['Long']);
    expect(await titlesFor('last')).toEqual([]);
    await ok(project.delete(`/article/unit/${id}`));
  });
});

describe('rank and snippets', () => {
  const found = async (query: string, as = anonymous) =>
    (await ok(as.get(`/article/unit?search=${query}`))) as { items: Record<string, unknown>[]; next?: string | null };

  it('the units that match best come first', async () => {
    await ok(project.post('/article/unit', { title: 'Gnu gnu gnu', body: 'gnu' }));
    await ok(project.post('/article/unit', { title: 'A gnu', body: 'and a yak' }));
    const titles = async (query: string) => (await found(query)).items.map(({ title }) => title);
    expect(await titles('gnu&order=rank();desc')).toEqual(['Gnu gnu gnu', 'A gnu']);
    expect(await titles('gnu&order=-rank()')).toEqual(['Gnu gnu gnu', 'A gnu']);
    expect(await titles('gnu&order=rank()')).toEqual(['A gnu', 'Gnu gnu gnu']);
    const first = await found('gnu&order=-rank()&limit=1&cursor=');
    const second = await found(`gnu&order=-rank()&limit=1&cursor=${first.next}`);
    expect([...first.items, ...second.items].map(({ title }) => title)).toEqual(['Gnu gnu gnu', 'A gnu']);
    expect(second.next).toBeNull();
  });

  it('a cursor is of one search', async () => {
    const { next } = await found('gnu&order=-rank()&limit=1&cursor=');
    const { status } = await anonymous.get(`/article/unit?search=yak&order=-rank()&limit=1&cursor=${next}`);
    expect(status).toBe(400);
  });

  it('a text that may not be read has no influence', async () => {
    const rare = { title: 'An okapi', notes: 'okapi okapi okapi okapi' };
    await ok(project.post('/article/unit', [rare, { title: 'The okapi, or okapi', notes: '' }]));
    const titles = async (as = anonymous) =>
      (await found('okapi&order=-rank()&include=title', as)).items.map(({ title }) => title);
    expect(await titles()).toEqual(['The okapi, or okapi', 'An okapi']);
    expect(await titles(member)).toEqual(['An okapi', 'The okapi, or okapi']);
    const denied = await anonymous.get('/article/unit?search=okapi&include=snippet(notes)');
    const unknown = await anonymous.get('/article/unit?search=okapi&include=snippet(nothing)');
    expect([denied.status, denied.body.messages]).toEqual([unknown.status, unknown.body.messages]);
    expect(denied.status).toBe(400);
  });

  it('a snippet marks the words, and escapes everything else', async () => {
    const body = `An <i>alert("it's a <mark>tapir</mark> & more")</i> of Tapirs`;
    await ok(project.post('/article/unit', { title: 'T', body }));
    const { items } = await found('tapir&include=[snippet(body),here:snippet(title)]');
    expect(items).toEqual([
      {
        snippet_body:
          'alert(&quot;it&#39;s a &lt;mark&gt;<mark>tapir</mark>&lt;/mark&gt; &amp; more&quot;)&lt;/i&gt; of <mark>Tapirs</mark>',
        here: 'T',
      },
    ]);
  });

  it('a snippet of a null is null, and in a group that of a kind without the text', async () => {
    const path = '/group/works/unit?search=cats&include=[kind_id,snippet(body)]&order=[kind_id,-rank()]';
    const { items } = (await ok(member.get(path))) as { items: { kind_id: string; snippet_body: string | null }[] };
    expect(new Set(items.map(({ kind_id }) => kind_id))).toEqual(new Set(['article', 'film']));
    expect(items.filter(({ kind_id }) => kind_id === 'film')).toEqual([{ kind_id: 'film', snippet_body: null }]);
  });

  it.each([
    ['/article/unit?order=rank()', 'order: rank() needs a search'],
    ['/article/unit?include=snippet(body)', 'include: snippet() needs a search'],
    [
      '/article/unit?search=a&include=snippet(state)',
      'include: snippet() wants a parameter that is searched: title, body',
    ],
    ['/article/unit?search=a&include=[x:snippet(body),x:snippet(title)]', "include: two terms are named 'x'"],
    ['/article/unit?search=a&include=title:snippet(body)', "include: a field is named 'title'"],
    ['/article/unit?search=a&include=snippet(body', 'include: expected'],
    ['/article/unit?search=a&order=rank(body)', 'order: expected'],
    ['/article/aggregate?search=a&select=count()&order=rank()', 'order: rank() is of units, not of groups'],
  ])('%s is refused', async (path, text) => {
    const { status, body: reply } = await anonymous.get(path);
    expect(status).toBe(400);
    expect(reply.messages[0]?.text).toContain(text);
  });
});

describe('rights', () => {
  it('a text that the caller may not read never matches', async () => {
    const asked = ['zebra', 'unicorn', 'cat -zebra', 'cat -unicorn', '"desert zebra"'];
    const found = async (as: typeof anonymous) => Promise.all(asked.map((search) => titlesFor(search, as)));
    const cats = ['Big cats', 'A dog', 'Cats alone'];
    expect(await found(anonymous)).toEqual([[], [], cats, cats, []]);
    expect(await found(member)).toEqual([['Big cats'], [], cats.slice(1), cats, ['Big cats']]);
    expect(await found(project)).toEqual([['Big cats'], ['Big cats'], cats.slice(1), cats.slice(1), ['Big cats']]);
  });

  it('search is unknown to a caller who may read none of the texts, as where there are none', async () => {
    await defineKinds(project, {
      id: 'letter',
      access: { read: 'anyone' },
      parameters: [{ id: 'text', kind_id: 'text', search: 'simple', read_access: 'member' }],
    });
    await ok(project.post('/letter/unit', { text: 'dear all' }));
    expect(await ok(member.get('/letter/unit?search=dear'))).toMatchObject({ count: 1 });
    for (const [as, path] of [
      [anonymous, '/letter/unit?search=dear'],
      [project, '/person/unit?search=dear'],
      [project, '/person/aggregate?select=count()&search=dear'],
      [project, '/kind/unit?search=dear'],
    ] as const) {
      const { status, body } = await as.get(path);
      expect([path, status, body.messages]).toEqual([
        path,
        400,
        [{ code: 'query.unknown', text: `No query parameter 'search' here`, parameter: 'search' }],
      ]);
    }
  });
});

describe('several kinds', () => {
  it('a list of a group finds units of all its kinds that have searchable texts', async () => {
    const { count, items } = (await ok(member.get('/group/works/unit?search=cats&order=kind_id;asc'))) as {
      count: number;
      items: { kind_id: string; title?: string; name?: string }[];
    };
    expect(count).toBe(4);
    expect(items.map(({ title, name }) => title ?? name)).toEqual(['Big cats', 'A dog', 'Cats alone', 'Cats']);
  });

  it('aggregations count the units that match', async () => {
    const path = '/article/aggregate?group=state&select=count()&search=cat';
    expect(await ok(anonymous.get(path))).toEqual({
      count: 2,
      items: [
        { state: 'new', count: 2 },
        { state: 'old', count: 1 },
      ],
    });
    expect(await ok(anonymous.get('/article/aggregate?select=count()&search=cat'))).toMatchObject({
      items: [{ count: 3 }],
    });
    expect(await ok(member.get('/group/works/aggregate?select=count()&search=big'))).toMatchObject({
      items: [{ count: 3 }],
    });
  });
});

it.each([
  ['', 'search: wants words to search for'],
  ['%20', 'search: wants words to search for'],
  ['a&search=b', 'search: given more than once'],
  ['%00', /^search: /],
  ['x'.repeat(1025), 'search: at most 1024 bytes, got 1025'],
])('the search %j is refused', async (search, text) => {
  const { status, body } = await anonymous.get(`/article/unit?search=${search}`);
  expect(status).toBe(400);
  expect(body.messages).toMatchObject([{ code: 'query.bad_value', parameter: 'search' }]);
  expect(body.messages[0]?.text).toMatch(text);
});

describe('definitions', () => {
  const define = async (parameter: Record<string, unknown>) => {
    const { status, body } = await project.post('/kind/unit', { id: 'thing', parameters: [parameter] });
    return { status, messages: body.messages.map(({ code, text }) => `${code} ${text}`) };
  };

  it.each([
    [{ id: 'a', kind_id: 'string', search: 'klingon' }, /search: must be one of "simple", "arabic"/],
    [{ id: 'a', kind_id: 'string', search: 'simple', multiple: true }, /search: a list cannot be searched/],
    [{ id: 'a', kind_id: 'text', search: 'simple', hidden: true }, /search: what is hidden cannot be searched/],
    [{ id: 'a', kind_id: 'text', search: 'simple', only_run_time: true }, /search: what is not stored/],
    [{ id: 'a', kind_id: 'integer', search: 'simple' }, /search/],
  ])('%j is refused', async (parameter, text) => {
    const { status, messages } = await define(parameter);
    expect(status).toBe(400);
    expect(messages.join('\n')).toMatch(text);
  });

  it('a kind has one configuration', async () => {
    const parameters = [
      { id: 'first', kind_id: 'string', search: 'english' },
      { id: 'second', kind_id: 'string', search: 'german' },
    ];
    const created = await project.post('/kind/unit', { id: 'thing', parameters });
    expect([created.status, created.body.messages]).toMatchObject([
      400,
      [{ code: 'parameter.bad_definition', parameter: 'parameters' }],
    ]);
    const edited = await project.put('/string/unit/title', { search: 'german' });
    expect([edited.status, edited.body.messages]).toMatchObject([
      400,
      [{ code: 'parameter.bad_definition', parameter: 'search' }],
    ]);
  });

  it('texts become searchable, change their configuration, and stop to be searchable', async () => {
    await defineKinds(project, { id: 'song', parameters: [{ id: 'lyrics', kind_id: 'text' }] });
    await ok(project.post('/song/unit', { lyrics: 'The cats were running' }));
    const count = async (search: string) => {
      const { status, body } = await project.get(`/song/unit?search=${search}`);
      return status === 200 ? (body.content as { count: number }).count : status;
    };
    expect(await count('cat')).toBe(400);
    await ok(project.put('/text/unit/lyrics', { search: 'english' }));
    expect([await count('cat'), await count('running')]).toEqual([1, 1]);
    await ok(project.put('/text/unit/lyrics', { search: 'simple' }));
    expect([await count('cat'), await count('running')]).toEqual([0, 1]);
    expect(await ok(project.get('/text/unit/lyrics'))).toMatchObject({ search: 'simple' });
    await expectNoDrift(project);
    await ok(project.put('/text/unit/lyrics', { search: null }));
    expect(await count('running')).toBe(400);
    await expectNoDrift(project);
  });
});
