/** Link types with their own access, in place of the right `link` of the parent's kind. */
import { beforeAll, describe, expect, it } from 'vitest';
import { anonymous, defineKinds, tokensOf, withMembers } from '../../support/callers.js';
import { ok, refusalOf } from '../../support/definitions.js';
import { sharedService, type TestProject } from '../../support/service.js';
import { sideConnection } from '../../support/side-connection.js';

const service = await sharedService();
const side = await sideConnection();
const root = await service.project();
await withMembers(root);

/** A member, with its id. */
async function member(username: string): Promise<TestProject & { readonly memberId: string }> {
  const { id } = (await ok(root.post('/person/unit', { username, email: `${username}@example.com` }))) as {
    id: string;
  };
  const caller = root.as((await tokensOf(root, 'person', id)).access_token);
  return Object.assign(caller, { memberId: id });
}
const ann = await member('ann');
const ben = await member('ben');

const OWNER = { id: 'owner', kind_id: 'unit', reference_kind: 'person' };
await defineKinds(
  root,
  {
    id: 'topic',
    parameters: [{ id: 'code', kind_id: 'string', is_primary: true }, OWNER, { id: 'state', kind_id: 'string' }],
    access: { link: 'admin', read: ['eq(state,open)', 'eq(owner,@member.id)'], update: 'member' },
  },
  {
    id: 'post',
    parameters: ['code', 'owner', 'state', { id: 'about', kind_id: 'unit', reference_kind: 'topic' }],
    access: { link: 'nobody' },
  },
  { id: 'note', parameters: ['code'] },
);

const units = (kind: string, ...items: object[]) => root.post(`/${kind}/unit`, items);
beforeAll(async () => {
  const [a, b] = [ann.memberId, ben.memberId];
  await ok(
    units(
      'topic',
      { code: 'a', owner: a, state: 'open' },
      { code: 'b', owner: b, state: 'open' },
      { code: 'hidden', owner: b, state: 'secret' },
    ),
  );
  await ok(
    units('post', { code: 'pa', owner: a, about: 'a' }, { code: 'pb', owner: b, about: 'b' }, { code: 'px', owner: a }),
  );
  await ok(units('note', { code: 'n' }));
});

const path = (type: string, from: string, to: string) => {
  const [parent = '', child = ''] = [from, to].map((each) => each.replace('/', '/unit/'));
  return `/${parent}/link/${type}/${child}`;
};
const status = async (reply: Promise<{ status: number }>) => (await reply).status;
const define = (id: string, access: unknown, more: object = {}) => root.post('/link/unit', { id, access, ...more });

describe('the access of a link type', () => {
  it("replaces the parent kind's right for its operations, and only these", async () => {
    const access = { create: 'member' };
    expect(await ok(define('any', access))).toMatchObject({ id: 'any', access });
    expect(await ok(root.get('/link/unit/any'))).toMatchObject({ access });
    expect(await ok(root.get('/link/unit/link'))).toMatchObject({ access: null });
    expect(await status(ann.post(path('any', 'post/pa', 'post/pb')))).toBe(200);
    expect(await status(ann.post(path('link', 'post/pa', 'post/pb')))).toBe(403);
    // `delete` is left out: `nobody` of the kind `post`.
    expect(refusalOf(await root.delete(path('any', 'post/pa', 'post/pb')))).toEqual({
      status: 403,
      messages: ['access.denied'],
    });
    await ok(root.put('/link/unit/any', { access: { create: 'member', delete: 'admin' } }));
    expect(await status(ann.delete(path('any', 'post/pa', 'post/pb')))).toBe(403);
    expect(await status(root.delete(path('any', 'post/pa', 'post/pb')))).toBe(200);
    await ok(root.put('/link/unit/any', { access: null }));
    expect(await status(ann.post(path('any', 'post/pa', 'post/pb')))).toBe(403);
  });

  it('has rules over both units', async () => {
    const mine = 'and(eq(parent.owner,@member.id),eq(child.owner,@member.id))';
    await ok(define('mine', { create: mine, delete: 'eq(child.owner,@member.id)' }));
    for (const [caller, from, to, expected] of [
      [ann, 'topic/a', 'post/pa', 200],
      [ann, 'topic/a', 'post/pb', 403],
      [ann, 'topic/b', 'post/pa', 403],
      [ben, 'topic/a', 'post/pa', 403],
      [root, 'topic/b', 'post/pa', 200],
      [ann, 'post/pa', 'post/px', 200],
      [ann, 'note/n', 'post/pa', 403],
    ] as const) {
      expect([from, to, await status(caller.post(path('mine', from, to)))]).toEqual([from, to, expected]);
    }
    expect(await status(ben.delete(path('mine', 'topic/b', 'post/pa')))).toBe(403);
    expect(await status(ann.delete(path('mine', 'topic/b', 'post/pa')))).toBe(200);
    expect(await status(ann.delete(path('mine', 'topic/b', 'post/pa')))).toBe(404);
  });

  it('follows references, compares both units, and sees what the caller may not read', async () => {
    await ok(define('about', { create: 'eq_field(parent.id,child.about)' }));
    await ok(define('secret', { create: ['eq(child.about.state,open)', 'eq(parent.about.state,secret)'] }));
    await ok(define('typed', { create: 'and(eq(parent.kind_id,note),ne(child.about.code,b))' }));
    expect(await status(ann.post(path('about', 'topic/b', 'post/pb')))).toBe(200);
    expect(await status(ann.post(path('about', 'topic/a', 'post/pb')))).toBe(403);
    expect(await status(ann.post(path('secret', 'note/n', 'post/pb')))).toBe(200);
    expect(await status(ann.post(path('secret', 'note/n', 'post/px')))).toBe(403);
    await ok(root.put('/post/unit/px', { about: 'hidden' }));
    expect(await status(ann.post(path('secret', 'post/px', 'note/n')))).toBe(200);
    expect(await status(ann.post(path('typed', 'note/n', 'post/pa')))).toBe(200);
    expect(await status(ann.post(path('typed', 'note/n', 'post/pb')))).toBe(403);
    expect(await status(ann.post(path('typed', 'topic/a', 'post/pa')))).toBe(403);
  });

  it('asks create of changed values', async () => {
    const parameters = [{ id: 'weight', kind_id: 'integer' }];
    await ok(define('scored', { create: 'eq(parent.owner,@member.id)', delete: 'nobody' }, { parameters }));
    const at = path('scored', 'topic/a', 'post/pb');
    expect(await ok(ann.post(at, { weight: 1 }))).toMatchObject({ weight: 1 });
    expect(await ok(ann.put(at, { weight: 2 }))).toMatchObject({ weight: 2 });
    expect(await status(ben.put(at, { weight: 3 }))).toBe(403);
    expect(await status(ben.put(at, {}))).toBe(403);
    expect(await status(ben.post(at, { weight: 2 }))).toBe(403);
    expect(await status(ann.delete(at))).toBe(403);
    expect(await ok(ann.post(at))).toMatchObject({ weight: 2 });
  });

  it('needs both units to be readable, and reveals nothing of others', async () => {
    await ok(define('open', { create: 'anyone', delete: 'anyone' }));
    await ok(define('ruled', { create: 'eq(parent.state,secret)', delete: 'eq(child.state,secret)' }));
    for (const type of ['open', 'ruled']) {
      for (const method of ['post', 'delete'] as const) {
        for (const place of ['parent', 'child']) {
          const replies = await Promise.all(
            ['hidden', 'missing'].map(async (code) => {
              const at =
                place === 'parent' ? path(type, `topic/${code}`, 'note/n') : path(type, 'note/n', `topic/${code}`);
              return (await ann[method](at)).text.replaceAll(code, '*').replace(/"request_id":"[^"]*"/, '');
            }),
          );
          // A rule that no link of these kinds can satisfy is refused before units are looked at.
          expect(replies[0]).toBe(replies[1]);
        }
      }
    }
    expect(refusalOf(await ann.post(path('open', 'topic/hidden', 'note/n')))).toMatchObject({ status: 404 });
    expect(refusalOf(await ann.post(path('open', 'topic/a', 'topic/hidden')))).toMatchObject({ status: 404 });
    const nobody = anonymous(root);
    expect(await status(nobody.post(path('open', 'topic/a', 'note/n')))).toBe(401);
    expect(await status(nobody.post(path('open', 'nothing/a', 'note/n')))).toBe(401);
    expect(await status(ann.post(path('open', 'nothing/a', 'note/n')))).toBe(404);
    expect(await status(ann.post(path('nothing', 'note/n', 'note/n')))).toBe(404);
    expect(await status(ann.post(path('open', 'kind/note', 'note/n')))).toBe(403);
  });

  it('opens links between public kinds to anyone, by a level and by rules', async () => {
    await defineKinds(root, { id: 'page', public: true, parameters: ['code', 'state'], access: { link: 'admin' } });
    await ok(units('page', { code: 'x', state: 'open' }, { code: 'y' }));
    await ok(define('rated', { create: ['eq(child.state,open)', 'eq(parent.owner,@member.id)'] }));
    const nobody = anonymous(root);
    expect(await status(nobody.post(path('rated', 'page/y', 'page/x')))).toBe(200);
    expect(await status(nobody.post(path('rated', 'page/x', 'page/y')))).toBe(401);
    expect(await status(nobody.post(path('open', 'page/x', 'page/y')))).toBe(200);
    expect(await status(nobody.delete(path('open', 'page/x', 'page/y')))).toBe(200);
  });
});

describe('the access of many links at once', () => {
  const many = (caller: TestProject, at: string, ids: readonly string[], replace = false) => {
    const items = ids.map((each) => {
      const [kind_id, id] = each.split('/');
      return { kind_id, id };
    });
    return caller.post(at, { items, replace });
  };

  it('is that of each link', async () => {
    const rule = 'or(eq(child.owner,@member.id),eq(child.code,pa))';
    await ok(define('set', { create: rule, delete: 'eq(child.owner,@member.id)' }));
    const [down, up] = ['/topic/unit/a/link/set/child', '/post/unit/pb/link/set/parent'];
    expect(await ok(many(ben, down, ['post/pa', 'post/pb']))).toMatchObject({ count: 2 });
    const refused = await many(ben, down, ['post/pa', 'post/px']);
    expect(refusalOf(refused)).toMatchObject({ status: 403, messages: ['access.denied'] });
    expect(refused.body.messages[0]).toMatchObject({ index: 1 });
    expect(await status(many(ben, down, ['note/n']))).toBe(403);
    expect(await ok(many(ben, up, ['topic/a', 'topic/b', 'note/n']))).toMatchObject({ count: 3 });
    expect(await status(many(ann, up, ['topic/a']))).toBe(403);
    // `replace` asks `delete` for what goes, and for nothing else.
    expect(await status(many(ben, down, ['post/pb'], true))).toBe(403);
    expect(await status(many(ben, down, ['post/pa'], true))).toBe(200);
    expect(await ok(ann.get('/topic/unit/a/link/child?link_id=set&include=id'))).toMatchObject({ count: 1 });
    expect(await status(many(ann, down, [], true))).toBe(200);
  });

  it('of one operation leaves the other to the kind of the parent', async () => {
    await ok(define('half', { create: 'member' }));
    const [down, up] = ['/topic/unit/a/link/half/child', '/post/unit/pb/link/half/parent'];
    expect(await status(many(ann, down, ['post/pa', 'post/pb']))).toBe(200);
    expect(await status(many(ann, down, ['post/pa'], true))).toBe(403);
    expect(await status(many(ann, up, [], true))).toBe(403);
    expect(await status(many(root, down, ['post/pa'], true))).toBe(200);
    await ok(define('other', { delete: 'member' }));
    expect(await status(many(ann, '/topic/unit/a/link/other/child', []))).toBe(403);
    await ok(define('none', { create: 'nobody', delete: 'nobody' }));
    expect(await status(many(root, '/topic/unit/a/link/none/child', []))).toBe(403);
    expect(await status(many(root, '/topic/unit/a/link/none/parent', ['note/n']))).toBe(403);
    expect(await status(many(anonymous(root), '/topic/unit/a/link/half/child', []))).toBe(401);
  });
});

describe('a rule', () => {
  it('is tested on units as they are when the link is written', async () => {
    await ok(define('while_open', { create: 'eq(parent.state,open)', delete: 'eq(child.state,open)' }));
    await ok(units('topic', { code: 'r', state: 'open' }, { code: 's', state: 'open' }));
    const held = async (code: string, state: string, ask: () => Promise<{ status: number }>) => {
      const commit = await side.holding(root, `UPDATE topic SET state = '${state}' WHERE id = '${code}'`);
      const reply = ask();
      await side.blocked();
      await commit();
      return status(reply);
    };
    expect(await held('r', 'closed', () => ann.post(path('while_open', 'topic/r', 'note/n')))).toBe(404);
    await ok(root.put('/topic/unit/s', { owner: ann.memberId }));
    expect(await held('s', 'closed', () => ann.post(path('while_open', 'topic/s', 'note/n')))).toBe(403);
    expect(await held('s', 'open', () => ann.post(path('while_open', 'topic/s', 'topic/s')))).toBe(200);
    expect(await held('s', 'closed', () => ann.delete(path('while_open', 'topic/s', 'topic/s')))).toBe(403);
  });
});

describe('a definition of access', () => {
  it('is validated like that of a kind', async () => {
    const bad = async (access: unknown) => {
      const { body, status: at } = await define('bad', access);
      expect(at).toBe(400);
      return body.messages.map(({ code, text }) => `${code}: ${text}`);
    };
    expect(await bad('member')).toEqual([expect.stringMatching(/^parameter.bad_value: access: must be an object/)]);
    expect(await bad({ read: 'member' })).toEqual([
      "parameter.bad_value: access: no operation 'read'; there are create, delete",
    ]);
    expect(await bad({ create: 'everybody', delete: [] })).toEqual([
      expect.stringMatching(/^parameter.bad_value: access.create: must be one of/),
      expect.stringMatching(/^parameter.bad_value: access.delete: must be one of/),
    ]);
    expect(await bad({ create: ['eq(parent.owner,1'] })).toEqual([
      expect.stringMatching(/^filter.syntax: access.create/),
    ]);
    for (const [rule, text] of [
      ['eq(owner,@member.id)', /'owner': a path in a rule of 'bad' begins with 'parent.' or 'child.'/],
      ['eq(parent,x)', /'parent' is a unit: name a parameter of it, as in parent.id/],
      ['eq(parent.ownr,@member.id)', /no kind has a parameter 'ownr' \(did you mean 'owner'\?\)/],
      ['eq(child.about.nothing,1)', /no parameter 'nothing' in 'topic'/],
      ['eq(parent.owner,@member.nothing)', /no member kind has 'nothing'/],
      ['and(eq(parent.about,x),eq(parent.team,x))', /no kind has a parameter 'team'/],
      ['linked(borders,child)', /units that are related to one another can't be tested here/],
      ['contains(parent.owner,x)', /has no contains/],
    ] as const) {
      expect(await bad({ create: rule })).toEqual([expect.stringMatching(text)]);
    }
    await ok(root.post('/string/unit', { id: 'alone', label: 'Alone' }));
    await defineKinds(root, { id: 'lone', parameters: ['alone'] });
    expect(await bad({ create: 'and(eq(parent.alone,x),eq(parent.about,x))' })).toEqual([
      expect.stringMatching(/no kind has all of the parameters 'alone', 'about' that the rule names of 'parent'/),
    ]);
  });

  it('is closed when something that it names goes, and stays closed', async () => {
    await defineKinds(root, { id: 'club', parameters: [{ id: 'head', kind_id: 'string' }, 'state'] });
    await ok(define('head', { create: ['eq(parent.head,x)', 'eq(child.state,open)'], delete: 'eq(child.state,open)' }));
    await ok(root.put('/kind/unit/club', { parameters: ['state'] }));
    expect(await ok(root.get('/link/unit/head'))).toMatchObject({
      access: { create: 'nobody', delete: 'eq(child.state,open)' },
    });
    await ok(root.put('/kind/unit/club', { parameters: ['state', 'head'] }));
    expect(await ok(root.get('/link/unit/head'))).toMatchObject({ access: { create: 'nobody' } });
    await ok(root.put('/link/unit/head', { access: { create: 'eq(parent.head,x)', delete: 'eq(child.state,open)' } }));
    await ok(root.delete('/kind/unit/club'));
    expect(await ok(root.get('/link/unit/head'))).toMatchObject({
      access: { create: 'nobody', delete: 'eq(child.state,open)' },
    });
  });
});
