/** `referred`: in filters, and in the access of files, where what the caller may read makes a file readable. */
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../src/shared/limits.js';
import { anonymous, asMember, defineKinds } from '../../support/callers.js';
import { createdId, itRefuses, ok, query, refusalOf } from '../../support/definitions.js';
import { sharedService, type TestProject } from '../../support/service.js';

const service = await sharedService();
const project = await service.project();
const toFile = (id: string, more: object = {}) => ({ id, kind_id: 'unit', reference_kind: 'file', ...more });

/** Stores a file without a content. */
async function file(of: TestProject, name: string, owner: string | null = null): Promise<string> {
  const [row] = await query<{ id: string }>(
    of,
    `INSERT INTO $schema."file" ("id", "name", "media_type", "bytes", "sha256", "object", "owner", "metadata", "inserted_at", "updated_at")
     VALUES (gen_random_uuid(), $1, 'image/png', 1, $1, $1, $2, '{}', now(), now()) RETURNING "id"::text`,
    [name, owner],
  );
  return row?.id ?? '';
}
const make = async (kind: string, body: object): Promise<string> =>
  await createdId(project.post(`/${kind}/unit`, body));
/** Those that files have without others. */
const RULES = ['eq(owner,@member.id)', 'referred()'];
const setRules = async (read: readonly string[]) => await ok(project.put('/kind/unit/file', { access: { read } }));

await defineKinds(
  project,
  { id: 'person', parameters: [toFile('avatar')] },
  {
    id: 'article',
    parameters: [
      { id: 'state', kind_id: 'string' },
      toFile('cover'),
      toFile('sketch', { read_access: 'admin' }),
      toFile('proof', { read_access: 'eq(state,corrected)' }),
    ],
    access: { read: 'in(state,published,corrected)' },
  },
  { id: 'memo', parameters: [toFile('scan'), { id: 'text', kind_id: 'string' }], access: { read: 'admin' } },
  { id: 'page', parameters: [toFile('picture')], public: true },
);
await ok(project.post('/link/unit', { id: 'gallery' }));
await ok(project.put('/kind/unit/file', { parameters: [toFile('preview')] }));
const member = await asMember(project);
const [me] = ((await ok(project.get('/person/unit'))) as { items: { id: string }[] }).items;
const myId = me?.id ?? '';

const FILES = [
  'own',
  'cover',
  'draft_cover',
  'sketch',
  'proof',
  'open_proof',
  'scan',
  'picture',
  'my_avatar',
  'other_avatar',
  'child',
  'parent',
  'memo_child',
  'preview',
  'unused',
] as const;
const ids = new Map<string, string>();
for (const name of FILES) ids.set(name, await file(project, name, name === 'own' ? myId : null));
const id = (name: (typeof FILES)[number]): string => ids.get(name) ?? '';
const published = await make('article', {
  state: 'published',
  cover: id('cover'),
  sketch: id('sketch'),
  proof: id('proof'),
});
await make('article', { state: 'corrected', proof: id('open_proof'), cover: id('cover') });
const draft = await make('article', { state: 'draft', cover: id('draft_cover') });
const memo = await make('memo', { scan: id('scan'), text: 'secret' });
const page = await make('page', { picture: id('picture') });
await ok(project.put(`/person/unit/${myId}`, { avatar: id('my_avatar') }));
await make('person', { username: 'other', email: 'other@example.org', avatar: id('other_avatar') });
await ok(project.post(`/article/unit/${published}/link/gallery/file/unit/${id('child')}`));
await ok(project.post(`/file/unit/${id('parent')}/link/gallery/article/unit/${published}`));
await ok(project.post(`/memo/unit/${memo}/link/gallery/file/unit/${id('memo_child')}`));
// References and links of files count for nothing.
await query(project, 'UPDATE $schema."file" SET "preview" = $1 WHERE "id" = $2', [id('preview'), id('picture')]);
await ok(project.post(`/file/unit/${id('picture')}/link/gallery/file/unit/${id('preview')}`));

interface Listed {
  readonly count: number;
  readonly items: readonly { readonly name: string }[];
}

/** The names of the files that a list finds, which its count, pages, an aggregation and each unit alone agree with. */
async function named(caller: TestProject, filter = 'all()'): Promise<string[]> {
  const asked = `filter=${encodeURIComponent(filter)}`;
  const { count, items } = (await ok(caller.get(`/file/unit?${asked}&order=name`))) as Listed;
  expect(count).toBe(items.length);
  const short = (await ok(caller.get(`/file/unit?${asked}&limit=1`))) as Listed;
  expect(short.count).toBe(count);
  expect(((await ok(caller.get(`/file/unit?${asked}&limit=1&count=estimated&cursor=`))) as Listed).items).toHaveLength(
    Math.min(1, count),
  );
  const summed = (await ok(caller.get(`/file/aggregate?select=n:count()&${asked}`))) as { items: [{ n: number }] };
  expect(summed.items[0].n).toBe(count);
  return items.map(({ name }) => name);
}

async function readAlone(caller: TestProject): Promise<string[]> {
  const names: string[] = [];
  for (const name of FILES) if ((await caller.get(`/file/unit/${id(name)}`)).status === 200) names.push(name);
  return names.sort();
}

const READABLE = ['child', 'cover', 'my_avatar', 'open_proof', 'own', 'parent', 'picture'];

describe('in the access of files', () => {
  it('lets a member read what a unit leads to that it may read, by a reference or link that it may read', async () => {
    expect(await named(member)).toEqual(READABLE);
    expect(await readAlone(member)).toEqual(READABLE);
  });

  it('lets strangers read what is public', async () => {
    expect(await named(anonymous(project))).toEqual(['picture']);
    expect(await readAlone(anonymous(project))).toEqual(['picture']);
  });

  it('is no matter for administrators', async () => {
    expect(await named(project, 'isnull(name,false)')).toHaveLength(FILES.length);
  });

  it('follows what the caller may read as it changes', async () => {
    await ok(project.put(`/article/unit/${draft}`, { state: 'published' }));
    expect(await named(member)).toEqual([...READABLE, 'draft_cover'].sort());
    await ok(project.put(`/article/unit/${draft}`, { state: 'draft' }));
    await ok(project.put('/kind/unit/page', { public: false }));
    expect(await named(anonymous(project))).toEqual([]);
    await ok(project.put('/kind/unit/page', { public: true }));
  });

  it('is not looked at where the file is read over a reference', async () => {
    const covers = (await ok(member.get('/article/unit?include=cover.name&order=cover.name'))) as Listed;
    expect(covers.items).toEqual([{ 'cover.name': 'cover' }, { 'cover.name': 'cover' }]);
    expect(await ok(member.get('/article/unit?filter=eq(cover.media_type,image/png)&limit=0'))).toMatchObject({
      count: 2,
    });
    expect(await ok(anonymous(project).get(`/page/unit/${page}?include=picture.name`))).toEqual({
      'picture.name': 'picture',
    });
    // A file is no proof for another one.
    expect(await ok(member.get(`/file/unit/${id('picture')}?include=preview.name`))).toEqual({ 'preview.name': null });
  });

  it('of one kind or reference looks at these alone, also over references of others', async () => {
    await setRules(['referred(article)']);
    expect(await named(member)).toEqual(['child', 'cover', 'open_proof', 'parent']);
    expect(await ok(member.get(`/page/unit/${page}?include=picture.name`))).toEqual({ 'picture.name': null });
    expect(await ok(member.get(`/article/unit/${published}?include=cover.name`))).toEqual({ 'cover.name': 'cover' });
    await setRules(['referred(article.cover,eq(state,corrected))']);
    expect(await named(member)).toEqual(['cover']);
    await setRules(['not(referred(article.cover))']);
    expect(await named(member)).toEqual(FILES.filter((name) => name !== 'cover').sort());
    await setRules(RULES);
  });

  it('is what a writer must be able to read to refer to a file', async () => {
    const write = async (cover: string) => (await member.post('/article/unit', { state: 'published', cover })).body;
    expect((await write(id('scan'))).messages).toMatchObject([{ code: 'parameter.bad_reference' }]);
    const { content, messages } = await write(id('picture'));
    expect(messages).toEqual([]);
    await ok(project.delete(`/article/unit/${(content as { id: string }).id}`));
  });

  it('is looked at in groups, traversals and changes too', async () => {
    await ok(project.post('/group/unit', { id: 'seen', kind_list: ['file', 'page'] }));
    const group = (await ok(member.get('/group/seen/unit?filter=eq(kind_id,file)&order=name'))) as Listed;
    expect(group.items.map(({ name }) => name)).toEqual(READABLE);
    expect(group.count).toBe(READABLE.length);
    const far = (of: string, caller: TestProject) =>
      ok(caller.get(`/${of}/link/child?link_id=gallery`)) as Promise<Listed>;
    expect((await far(`article/unit/${published}`, member)).count).toBe(1);
    expect((await far(`file/unit/${id('picture')}`, project)).count).toBe(1);
    expect((await far(`file/unit/${id('picture')}`, member)).count).toBe(0);
    for (const kind of ['file', 'article']) await ok(project.put(`/kind/unit/${kind}`, { changes: 'feed' }));
    const { next } = (await ok(member.get('/changes?kinds=[file]'))) as { next: string };
    for (const name of ['cover', 'scan'] as const)
      await ok(project.put(`/file/unit/${id(name)}`, { metadata: { a: 1 } }));
    const { items } = (await ok(member.get(`/changes?kinds=[file]&since=${next}`))) as { items: { unit_id: string }[] };
    expect(items.map(({ unit_id: changed }) => changed)).toEqual([id('cover')]);
    const live = await member.post('/live', { queries: [{ as: 'a', path: '/file/unit' }] });
    expect(refusalOf(live)).toMatchObject({ status: 400, messages: ['changes.off'] });
  });

  it('is explained', async () => {
    const told = async (name: (typeof FILES)[number]) => {
      const path = `/file/unit/${id(name)}/access?member=${myId}`;
      return ((await ok(project.get(path))) as { operations: { read: object } }).operations.read;
    };
    expect(await told('cover')).toMatchObject({
      allowed: true,
      rules: [{ holds: false }, { rule: 'referred()', holds: true }],
    });
    expect(await told('scan')).toMatchObject({ allowed: false, because: 'no rule holds' });
  });

  it('becomes nobody where a kind that it names is deleted', async () => {
    await defineKinds(project, { id: 'gone', parameters: [toFile('lost')] });
    await ok(
      project.put('/kind/unit/file', {
        access: { read: RULES, update: 'referred(gone)', delete: 'referred(gone.lost)' },
      }),
    );
    await ok(project.delete('/kind/unit/gone'));
    expect(((await ok(project.get('/kind/unit/file'))) as { access: object }).access).toEqual({
      read: RULES,
      update: 'nobody',
      delete: 'nobody',
    });
    await setRules(RULES);
  });
});

describe('in filters', () => {
  it('finds what is used, and what nothing uses', async () => {
    expect(await named(project, 'not(referred())')).toEqual(['own', 'preview', 'unused']);
    expect(await named(project, 'referred(memo)')).toEqual(['memo_child', 'scan']);
    expect(await named(project, 'referred(memo.scan)')).toEqual(['scan']);
    expect(await named(project, 'referred(article,eq(state,draft))')).toEqual(['draft_cover']);
    expect(await named(project, 'or(eq(name,unused),referred(page))')).toEqual(['picture', 'unused']);
    expect(await named(project, 'and(referred(page),referred(article))')).toEqual([]);
  });

  it('looks at what the caller may read', async () => {
    expect(await named(member, 'referred()')).toEqual(READABLE.filter((name) => name !== 'own'));
    expect(await named(member, 'not(referred())')).toEqual(['own']);
    expect(await named(member, 'referred(article)')).toEqual(['child', 'cover', 'open_proof', 'parent']);
    expect(await named(member, `eq(owner,${myId})`)).toEqual(['own']);
    expect(await named(anonymous(project), 'referred(page)')).toEqual(['picture']);
  });

  it('is of units of all kinds', async () => {
    await defineKinds(project, {
      id: 'remark',
      parameters: [{ id: 'about', kind_id: 'unit', reference_kind: 'article' }],
    });
    await make('remark', { about: draft });
    const count = async (filter: string) =>
      ((await ok(project.get(`/article/unit?filter=${filter}&limit=0`))) as Listed).count;
    // Links of files don't count.
    expect([await count('referred()'), await count('referred(remark)'), await count('not(referred())')]).toEqual([
      1, 1, 2,
    ]);
  });
});

const refused = (text: string, path: string, status: number, ...messages: string[]) => ({
  name: text,
  call: ['GET', path] as const,
  status,
  messages,
});
itRefuses(project, [
  refused('a kind that is unknown', '/file/unit?filter=referred(artikle)', 400, 'filter.unknown_parameter artikle'),
  refused(
    'a parameter that is unknown',
    '/file/unit?filter=referred(article.covr)',
    400,
    'filter.unknown_parameter covr',
  ),
  refused('another reference', '/article/unit?filter=referred(page.picture)', 400, 'filter.unknown_parameter picture'),
  refused('references of files', '/file/unit?filter=referred(file.preview)', 400, 'filter.unknown_parameter file'),
  refused('no number', '/file/unit?filter=gt(referred(),1)', 400, 'filter.syntax'),
]);

it('is refused to a member for a kind that it may not read', async () => {
  expect(refusalOf(await member.get('/file/unit?filter=referred(memo)'))).toMatchObject({ status: 403 });
  expect(refusalOf(await anonymous(project).get('/file/unit?filter=referred(memo)'))).toMatchObject({ status: 401 });
});

it('stands in rules of the access of files alone', async () => {
  const text = 'referred stands in filters, and of rules in the access of files';
  const refusal = async (path: string, body: object) => (await project.put(path, body)).body.messages[0]?.text;
  expect(await refusal('/kind/unit/article', { access: { read: 'referred()' } })).toContain(text);
  expect(await refusal('/kind/unit/file', { access: { read: 'exists(article.cover,referred())' } })).toContain(text);
  expect(await refusal('/string/unit/text', { read_access: 'referred()' })).toContain(text);
  expect(await refusal('/link/unit/gallery', { access: { create: 'referred()' } })).toContain(text);
  expect(await refusal('/kind/unit/file', { access: { read: 'referred(nothing)' } })).toContain("no kind 'nothing'");
  expect(await refusal('/kind/unit/file', { access: { read: 'referred(file)' } })).toContain("don't count");
});

it('looks at few kinds in a list by others than administrators', async () => {
  const many = Array.from({ length: LIMITS.referringKinds + 1 }, (_, at) => `album${at}`);
  for (const [at, kind] of many.entries()) await defineKinds(project, { id: kind, parameters: [toFile(`in${at}`)] });
  const { status, messages } = refusalOf(await member.get('/file/unit'));
  expect([status, messages[0]]).toEqual([400, expect.stringContaining('query.too_large')]);
  expect((await member.get('/file/unit')).body.messages[0]?.text).toMatch(/name them in the filter, as in referred\(/);
  expect((await member.get('/file/aggregate?select=count()')).status).toBe(400);
  expect((await member.get('/file/unit?filter=not(referred())')).status).toBe(400);
  expect(await readAlone(member)).toEqual(READABLE);
  expect(await named(member, 'referred(article)')).toEqual(['child', 'cover', 'open_proof', 'parent']);
  expect(await named(member, `eq(owner,${myId})`)).toEqual(['own']);
  expect(await named(project, 'not(referred())')).toEqual(['own', 'preview', 'unused']);
});
