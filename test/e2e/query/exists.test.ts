/** Filters over related units: `exists` and `not(exists)`, nested, with paths inside and with the rights of the caller. */
import { describe, expect, it } from 'vitest';
import { anonymous, asMember, defineKinds } from '../../support/callers.js';
import { createdId, ok } from '../../support/definitions.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const project = await service.project();
const reference = (id: string, kind = id) => ({ id, kind_id: 'unit', reference_kind: kind });
await defineKinds(
  project,
  { id: 'author', parameters: [{ id: 'name', kind_id: 'string' }] },
  {
    id: 'article',
    parameters: [
      { id: 'title', kind_id: 'string' },
      reference('author'),
      // A parameter may have the name of a function.
      { id: 'exists', kind_id: 'string' },
      { id: 'count_related', kind_id: 'integer' },
    ],
  },
  {
    id: 'comment',
    parameters: [
      reference('article'),
      { id: 'writer', kind_id: 'unit', reference_kind: 'author' },
      { id: 'state', kind_id: 'string' },
      { id: 'secret', kind_id: 'string', read_access: 'admin' },
      { id: 'concealed', kind_id: 'string', hidden: true },
    ],
  },
  { id: 'reply', parameters: [reference('comment'), { id: 'text', kind_id: 'string' }] },
  { id: 'vote', parameters: [reference('reply'), { id: 'value', kind_id: 'integer' }] },
  { id: 'note', access: { read: 'admin' }, parameters: [{ id: 'about', kind_id: 'unit', reference_kind: 'article' }] },
);
const make = async (kind: string, body: object): Promise<string> =>
  await createdId(project.post(`/${kind}/unit`, body));

const ann = await make('author', { name: 'Ann' });
const bob = await make('author', { name: 'Bob' });
const one = await make('article', { title: 'one', author: ann, exists: 'yes', count_related: 7 });
const two = await make('article', { title: 'two', author: bob });
await make('article', { title: 'three', author: ann });
const first = await make('comment', { article: one, writer: bob, state: 'approved', secret: 's', concealed: 'c' });
await make('comment', { article: one, writer: ann, state: 'new' });
const second = await make('comment', { article: two, writer: ann, state: 'new' });
await make('comment', { state: 'approved' });
const reply = await make('reply', { comment: first, text: 'thanks' });
await make('reply', { comment: second, text: 'no' });
await make('vote', { reply, value: 3 });
await make('note', { about: two });
const member = await asMember(project);

const titled = async (filter: string, by = project): Promise<string> => {
  const content = await ok(by.get(`/article/unit?filter=${encodeURIComponent(filter)}`));
  const { count, items } = content as { count: number; items: { title: string }[] };
  expect(count).toBe(items.length);
  return items.map(({ title }) => title).join(' ');
};

describe('a unit exists', () => {
  it.each([
    ['exists(comment.article)', 'one two'],
    ['not(exists(comment.article))', 'three'],
    ['exists(comment.article,eq(state,approved))', 'one'],
    ['not(exists(comment.article,eq(state,approved)))', 'two three'],
    ['exists( comment . article , and(eq(state,new),eq(writer.name,Ann)) )', 'one two'],
    ['exists(comment.article,and(eq(state,approved),eq(writer.name,Ann)))', ''],
    ['exists(comment.article,eq(article.author.name,Bob))', 'two'],
    ['exists(comment.article,exists(reply.comment,eq(text,thanks)))', 'one'],
    ['exists(comment.article,not(exists(reply.comment)))', 'one'],
    ['exists(comment.article,exists(reply.comment,exists(vote.reply,gt(value,2))))', 'one'],
    ['exists(comment.article,exists(reply.comment,exists(vote.reply,gt(value,3))))', ''],
    ['and(exists(comment.article),eq(author.name,Ann))', 'one'],
    ['or(exists(comment.article,eq(state,approved)),eq(title,three))', 'one three'],
    ['exists(note.about)', 'two'],
    ['eq(exists,yes)', 'one'],
    ['and(eq(exists,yes),exists(comment.article))', 'one'],
    ['eq(count_related,7)', 'one'],
    ['gt(count_related(comment.article),1)', 'one'],
    ['eq(count_related(comment.article),0)', 'three'],
    ['in(count_related(comment.article,eq(state,new)),1,5)', 'one two'],
    ['lt(count_related(comment.article,exists(reply.comment)),1)', 'three'],
    ['isnull(count_related(comment.article))', ''],
    ['exists(comment.article,gt(count_related(reply.comment),0))', 'one two'],
    ['and(gt(count_related(comment.article),1),gt(count_related,1))', 'one'],
  ])('%s', async (filter, titles) => {
    expect(await titled(filter)).toBe(titles);
  });
});

const fault = async (filter: string, by = project): Promise<string> => {
  const { status, body } = await by.get(`/article/unit?filter=${encodeURIComponent(filter)}`);
  return [status, ...body.messages.map(({ code, text }) => `${code}: ${text}`)].join(' ');
};

describe('rights', () => {
  it('of the related kind are those of reading it', async () => {
    expect(await fault('exists(note.about)', member)).toBe(
      "403 access.denied: 'note.about': You may not read units of 'note', at character 8",
    );
    expect(await fault('eq(count_related(note.about),1)', member)).toBe(
      "403 access.denied: 'note.about': You may not read units of 'note', at character 18",
    );
  });

  it('count the units alone that the caller may read', async () => {
    await ok(project.put('/kind/unit/comment', { access: { read: 'eq(state,approved)' } }));
    expect(await titled('exists(comment.article)', member)).toBe('one');
    expect(await titled('not(exists(comment.article))', member)).toBe('two three');
    expect(await titled('eq(count_related(comment.article),1)', member)).toBe('one');
    expect(await titled('exists(comment.article,eq(state,new))', member)).toBe('');
    expect(await titled('exists(comment.article,exists(reply.comment))', member)).toBe('one');
    expect(await titled('exists(comment.article)')).toBe('one two');
    await ok(project.put('/kind/unit/comment', { access: {} }));
  });

  it('hold for the parameters that are named', async () => {
    expect(await titled('exists(comment.article,eq(secret,s))')).toBe('one');
    expect(await fault('exists(comment.article,eq(secret,s))', member)).toContain('403 access.denied');
    expect(await fault('exists(comment.article,eq(concealed,c))')).toContain(
      "400 filter.unknown_parameter: no parameter 'concealed' in 'comment'",
    );
  });

  it('tell a caller without a token nothing of kinds', async () => {
    await ok(project.put('/kind/unit/article', { public: true }));
    const stranger = anonymous(project);
    const closed = await fault('exists(comment.article)', stranger);
    expect(closed).toMatch(/^401 token.missing/);
    expect(await fault('exists(nothing.article)', stranger)).toBe(closed.replace('comment', 'nothing'));
    await ok(project.put('/kind/unit/article', { public: false }));
  });
});

const described = await project.documented();
const listed = async (query: string, by = described): Promise<unknown[]> => {
  const { items } = (await ok(by.get(`/article/unit?${query}`))) as { items: unknown[] };
  return items;
};

describe('the number of related units', () => {
  it('orders a list, and its pages by cursor', async () => {
    const titles = async (query: string): Promise<string> =>
      (await listed(`include=title&${query}`)).map((unit) => (unit as { title: string }).title).join(' ');
    expect(await titles('order=count_related(comment.article);desc')).toBe('one two three');
    expect(await titles('order=-count_related(comment.article)')).toBe('one two three');
    expect(await titles('order=count_related(comment.article),title')).toBe('three two one');
    expect(await titles('order=[-count_related(comment.article,and(eq(state,new),eq(writer.name,Ann))),-title]')).toBe(
      'two one three',
    );
    const pages: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const content = (await ok(
        project.get(`/article/unit?limit=1&order=count_related(comment.article);desc&cursor=${cursor}`),
      )) as { items: { title: string }[]; next: string | null };
      pages.push(...content.items.map(({ title }) => title));
      cursor = content.next;
    }
    expect(pages).toEqual(['one', 'two', 'three']);
  });

  it('is answered under a name', async () => {
    const include =
      'include=[title,comments:count_related(comment.article),new:count_related(comment.article,eq(state,new))]';
    expect(await listed(`${include}&order=title`)).toEqual([
      { title: 'one', comments: 2, new: 1 },
      { title: 'three', comments: 0, new: 0 },
      { title: 'two', comments: 1, new: 1 },
    ]);
    expect(await ok(project.get(`/article/unit/${one}?include=n:count_related(comment.article)`))).toEqual({ n: 2 });
  });

  it('is summed up and grouped by', async () => {
    const query = 'select=[sum(count_related(comment.article)),most:max(count_related(comment.article,eq(state,new)))]';
    expect(await ok(project.get(`/article/aggregate?${query}`))).toEqual({
      count: 1,
      items: [{ sum_count_related_comment_article: 3, most: 1 }],
    });
    const groups =
      'group=comments:count_related(comment.article)&select=[count(),count(exists(note.about)),n:count(count_related(comment.article))]';
    expect((await project.get(`/article/aggregate?${groups}`)).status).toBe(400);
    const named = groups.replace('count(exists', 'noted:count(exists');
    expect(await ok(project.get(`/article/aggregate?${named}`))).toEqual({
      count: 3,
      items: [
        { comments: 0, count: 1, noted: 0, n: 1 },
        { comments: 1, count: 1, noted: 1, n: 1 },
        { comments: 2, count: 1, noted: 0, n: 1 },
      ],
    });
    expect(
      await ok(project.get('/article/aggregate?group=count_related(comment.article)&filter=exists(comment.article)')),
    ).toMatchObject({
      items: [{ count_related_comment_article: 1 }, { count_related_comment_article: 2 }],
    });
  });
});

describe('related units are answered inside', () => {
  it('with filter, order and limit, as the caller reads them', async () => {
    const [unit] = await listed('filter=eq(title,one)&include=[title,latest:related(comment.article)]');
    expect(unit).toMatchObject({
      title: 'one',
      latest: [{ id: first, state: 'approved', secret: 's' }, { state: 'new' }],
    });
    const { latest } = unit as { latest: object[] };
    expect(Object.keys(latest[0] ?? {})).toEqual(
      Object.keys((await ok(project.get(`/comment/unit/${first}`))) as object),
    );
    const [own] = await listed('filter=eq(title,one)&include=a:related(comment.article)', member);
    expect((own as { a: object[] }).a[0]).not.toHaveProperty('secret');
    const query = (term: string) => listed(`order=title&include=a:related(comment.article,${term})`);
    const states = (units: unknown[]) =>
      (units as { a: { state: string }[] }[]).map(({ a }) => a.map(({ state }) => state).join());
    expect(states(await query('order=state'))).toEqual(['approved,new', '', 'new']);
    expect(states(await query('order=-state'))).toEqual(['new,approved', '', 'new']);
    expect(states(await query('eq(state,new),order=-state,limit=1'))).toEqual(['new', '', 'new']);
    expect(states(await query('limit=1,order=[writer.name;desc,-state]'))).toEqual(['approved', '', 'new']);
    expect(states(await query('exists(reply.comment),order=-count_related(reply.comment,eq(text,"a,)b"))'))).toEqual([
      'approved',
      '',
      'new',
    ]);
  });

  it('in the same statement', async () => {
    const get = () =>
      ok(project.get('/article/unit?include=title,a:related(comment.article),b:count_related(note.about)'));
    await get();
    expect(await project.statements(get)).toBe(1);
  });

  it('only where the caller may read them', async () => {
    await ok(project.put('/kind/unit/comment', { access: { read: 'eq(state,approved)' } }));
    const [unit] = await listed(
      'order=title&include=a:related(comment.article),n:count_related(comment.article)',
      member,
    );
    expect(unit).toMatchObject({ a: [{ state: 'approved' }], n: 1 });
    await ok(project.put('/kind/unit/comment', { access: {} }));
    expect((await member.get('/article/unit?include=a:related(note.about)')).status).toBe(403);
  });

  it('with an ETag that changes with them', async () => {
    const get = () => project.get(`/article/unit/${two}?include=n:count_related(note.about)`);
    const etag = (await get()).headers.get('etag');
    const note = await make('note', { about: two });
    expect((await get()).headers.get('etag')).not.toBe(etag);
    await ok(project.delete(`/note/unit/${note}`));
    expect((await get()).headers.get('etag')).toBe(etag);
  });

  it.each([
    [
      'related(comment.article)',
      "include: expected a name of lower-case letters, digits and _ and a colon, such as 'comments:related(…)' at character 1",
    ],
    [
      'a:relatd(comment.article)',
      'include: expected related or count_related or count_linked or sum_related at character 3',
    ],
    ['a:related(comment.article,limit=101)', 'include: expected a whole number from 1 to 100 at character 33'],
    ['a:related(comment.article,limit=1,limit=2)', 'include: expected order= or limit=, each once at character 35'],
    [
      'a:related(comment.article,offset=3)',
      'include: expected a filter such as eq(name,Rome), order= or limit=, each once at character 27',
    ],
    [
      'a:related(comment.article,limit)',
      'include: expected a filter such as eq(name,Rome), order= or limit= at character 27',
    ],
    ['a:related(comment.article,limit=3,offset=3)', 'include: expected order= or limit=, each once at character 35'],
    [
      'a:related(comment.article,limit=3,isnull(state))',
      'include: expected order= or limit=, each once at character 35',
    ],
    [
      'title:related(comment.article)',
      "include: a field is named 'title'; give the term another name before its colon",
    ],
    [
      'a:related(comment.article),a:count_related(note.about)',
      "include: two terms are named 'a'; give the term another name before its colon",
    ],
    [
      'a:related(comment.article,order=nothing)',
      "include: order: no parameter 'nothing' in 'comment', at character 33",
    ],
    [
      'a:related(comment.article,limit=100)&limit=1000&include=b:related(comment.article)',
      'include: 1000 units with up to 120 related ones each are more than 100000; ask for fewer at once',
    ],
  ])('or refused: %s', async (include, text) => {
    const { status, body } = await project.get(`/article/unit?include=${include}`);
    expect([status, ...body.messages.map((message) => message.text)]).toEqual([400, text]);
  });

  it('at most twenty times in one request', async () => {
    const terms = Array.from({ length: 20 }, (_, at) => `a${at}:count_related(comment.article)`).join();
    expect((await project.get(`/article/unit?include=${terms}`)).status).toBe(200);
    const { status, body } = await project.get(`/article/unit?include=${terms}&filter=exists(comment.article)`);
    expect([status, body.messages[0]?.code]).toEqual([400, 'query.too_large']);
  });
});

describe('refusals name the place', () => {
  it.each([
    [
      'exists(coment.article)',
      "400 filter.unknown_parameter: no kind 'coment' in this project (did you mean 'comment'?), at character 8",
    ],
    [
      'exists(comment.artcle)',
      "400 filter.unknown_parameter: no parameter 'artcle' in 'comment' (did you mean 'article'?), at character 8",
    ],
    ['exists(comment.state)', "400 filter.unknown_parameter: 'comment.state' is no reference, at character 8"],
    [
      'exists(comment.writer)',
      "400 filter.unknown_parameter: 'comment.writer' doesn't refer to units of 'article', at character 8",
    ],
    [
      'exists(comment)',
      "400 filter.syntax: expected '.' and the parameter of 'comment' that refers here at character 15",
    ],
    [
      'exists(comment.article,eq(stat,x))',
      "400 filter.unknown_parameter: no parameter 'stat' in 'comment' (did you mean 'state'?), at character 27",
    ],
    [
      'count_related(comment.article)',
      "400 filter.unknown_operator: unknown operator 'count_related' at character 1: it is a number, to be compared as in gt(count_related(…),5)",
    ],
    [
      'gt(count_related(comment.article),many)',
      "400 filter.bad_value: 'count_related(comment.article)' wants a whole number within ±9007199254740991 (integer), at character 35",
    ],
    [
      'exists(comment.article,exists(reply.comment,exists(vote.reply,exists(vote.reply))))',
      '400 filter.too_large: a filter has at most 3 functions over related units inside one another; one too many at character 63',
    ],
  ])('%s', async (filter, text) => {
    expect(await fault(filter)).toBe(text);
  });
});
