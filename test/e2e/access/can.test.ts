/** `can()` in `include`: what the caller may do with each unit. It says what trying would show, and no more. */
import { describe, expect, it } from 'vitest';
import { anonymous, asMember, defineKinds, tokensOf } from '../../support/callers.js';
import { createdId, ok } from '../../support/definitions.js';
import { FunctionsFolder, sharedServiceWith } from '../../support/functions.js';
import type { TestProject } from '../../support/service.js';

const folder = new FunctionsFolder({
  'ticket.ts': `
    import { kind } from 'kind';
    const ticket = kind('ticket');
    export default ticket.module({
      functions: { all: ticket.function({ description: 'Of the kind', run: () => null }) },
      unitFunctions: {
        close: ticket.unitFunction({ description: 'Closes', access: ['eq(owner,@member.id)'], run: () => null }),
        print: ticket.unitFunction({ description: 'Prints', access: 'anyone', methods: ['GET'], run: () => null }),
        plain: ticket.unitFunction({ description: 'As the kind', run: () => null }),
        audit: ticket.unitFunction({ description: 'Audits', access: 'admin', run: () => null }),
      },
    });`,
});
const service = await sharedServiceWith(folder);
const project = await service.project();
const ann = await asMember(project);
const [annId] = ((await ok(project.get('/person/unit'))) as { items: { id: string }[] }).items.map(({ id }) => id);
const bobId = await createdId(project.post('/person/unit', { username: 'bob', email: 'bob@person.example' }));
const bob = project.as((await tokensOf(project, 'person', bobId)).access_token);
const TRANSITIONS = {
  initial: ['new'],
  new: ['open', 'closed'],
  open: ['new', { to: 'solved', when: 'eq(owner,@member.id)' }, { to: 'audited', when: 'admin' }],
  solved: ['closed'],
};
await defineKinds(
  project,
  {
    id: 'ticket',
    access: {
      read: 'member',
      create: 'member',
      // Nobody but administrators may close what is not solved.
      update: ['and(ne(state,closed),eq(owner,@member.id))', 'eq(state,solved)', 'eq(helper,@member.id)'],
      delete: 'eq(owner,@member.id)',
      link: 'admin',
      function: 'member',
    },
    parameters: [
      { id: 'title', kind_id: 'string' },
      {
        id: 'state',
        kind_id: 'string',
        values: ['new', 'open', 'solved', 'audited', 'closed'],
        transitions: TRANSITIONS,
      },
      { id: 'owner', kind_id: 'unit', reference_kind: 'person' },
      { id: 'helper', kind_id: 'unit', reference_kind: 'person', read_access: 'admin' },
    ],
  },
  {
    id: 'guarded',
    access: { read: 'member', update: 'member' },
    parameters: [
      {
        ...{ id: 'level', kind_id: 'string', values: ['low', 'high', 'top'], read_access: 'eq(title,open)' },
        transitions: { low: ['high', 'top'], high: ['low'] },
        write_access: 'ne(level,top)',
      },
      {
        ...{ id: 'hidden_one', kind_id: 'string', values: ['a', 'b'], read_access: 'admin' },
        transitions: { a: ['b'] },
      },
      { id: 'fixed', kind_id: 'string', values: ['a', 'b'], write_access: 'admin', transitions: { a: ['b'] } },
      'title',
    ],
  },
);
await ok(project.post('/group/unit', { id: 'all_of_them', kind_list: ['ticket', 'guarded'] }));

interface Can {
  readonly update: boolean;
  readonly delete: boolean;
  readonly link: boolean;
  readonly functions: string[];
  readonly transitions: Record<string, string[]>;
}
const made = async (kind: string, body: object) => createdId(project.post(`/${kind}/unit`, body));
const ticket = async (state: string, owner = annId, more: object = {}) => {
  const id = await made('ticket', { title: state, state: 'new', owner, ...more });
  for (const next of { new: [], open: ['open'], solved: ['open', 'solved'], closed: ['closed'] }[state] ?? [])
    await ok(project.put(`/ticket/unit/${id}`, { state: next }));
  return id;
};
const can = async (of: TestProject, kind: string, id: string) =>
  ((await ok(of.get(`/${kind}/unit/${id}?include=can()`))) as { can: Can }).can;
const documented = await ann.documented();

describe('can()', () => {
  it('answers what the caller may do with a unit', async () => {
    const [fresh, open, solved, closed] = await Promise.all(
      ['new', 'open', 'solved', 'closed'].map((each) => ticket(each)),
    );
    const functions = ['close', 'print', 'plain'];
    // The rule does not let a ticket of the owner become closed, but a solved one.
    const own = { update: true, delete: true, link: false, functions };
    expect(await can(documented, 'ticket', fresh!)).toEqual({ ...own, transitions: { state: ['open'] } });
    expect(await can(documented, 'ticket', open!)).toEqual({ ...own, transitions: { state: ['new', 'solved'] } });
    expect(await can(documented, 'ticket', solved!)).toEqual({ ...own, transitions: { state: [] } });
    expect(await can(documented, 'ticket', closed!)).toEqual({ ...own, update: false, transitions: { state: [] } });
    const others = { delete: false, link: false, functions: ['print', 'plain'] };
    expect(await can(bob, 'ticket', open!)).toEqual({ ...others, update: false, transitions: { state: [] } });
    expect(await can(bob, 'ticket', solved!)).toEqual({ ...others, update: true, transitions: { state: [] } });
    expect(await can(project, 'ticket', open!)).toEqual({
      ...{ update: true, delete: true, link: true, functions: [...functions, 'audit'] },
      transitions: { state: ['new', 'solved', 'audited'] },
    });
  });

  it('is what trying shows', async () => {
    const callers = { ann, bob, project };
    for (const state of ['new', 'open', 'solved', 'closed']) {
      const id = await ticket(state, annId, state === 'open' ? { helper: bobId } : {});
      for (const [name, caller] of Object.entries(callers)) {
        const told = await can(caller, 'ticket', id);
        const tried = async (method: 'put' | 'delete' | 'post', path: string, body: object = {}) => {
          const url = `/ticket/unit/${id}${path}`;
          const dry = `${url}${path.startsWith('/') ? '' : '?dry_run=true'}`;
          const reply = method === 'delete' ? await caller.delete(dry) : await caller[method](dry, body);
          return reply.status === 200;
        };
        expect([name, state, await tried('put', '')]).toEqual([name, state, told.update]);
        expect([name, state, await tried('delete', '')]).toEqual([name, state, told.delete]);
        for (const next of ['new', 'open', 'solved', 'audited', 'closed']) {
          if (next === state) continue;
          const possible = told.transitions['state']?.includes(next);
          expect([name, state, next, await tried('put', '', { state: next })]).toEqual([name, state, next, possible]);
        }
        for (const each of ['close', 'plain', 'audit']) {
          const called = await tried('post', `/function/${each}`);
          expect([name, state, each, called]).toEqual([name, state, each, told.functions.includes(each)]);
        }
      }
    }
  });

  it('tells nothing of fields that the unit does not show, and nothing to write where the caller may not', async () => {
    const shown = await made('guarded', { level: 'low', title: 'open', hidden_one: 'a', fixed: 'a' });
    const hidden = await made('guarded', { level: 'low', title: 'x', hidden_one: 'a', fixed: 'a' });
    // The rule of writing holds of the value as it becomes, too.
    expect((await can(documented, 'guarded', shown)).transitions).toEqual({ level: ['high'], fixed: [] });
    expect((await can(ann, 'guarded', hidden)).transitions).toEqual({ level: [], fixed: [] });
    expect((await can(project, 'guarded', hidden)).transitions).toEqual({
      ...{ level: ['high', 'top'], hidden_one: ['b'], fixed: ['b'] },
    });
  });

  it('is of the token: a key with a scope, one that only reads', async () => {
    const id = await ticket('open');
    const key = async (scope: object[]) => {
      const { secret } = (await ok(ann.post('/api_key/unit', { label: 'k', scope }))) as { secret: string };
      return can(project.as(secret), 'ticket', id);
    };
    const none = { update: false, delete: false, link: false, transitions: { state: [] } };
    expect(await key([{ kinds: ['ticket'], operations: ['read'] }])).toMatchObject(none);
    const some = await key([{ kinds: ['ticket'], operations: ['read', 'update'] }]);
    expect(some).toMatchObject({ update: true, delete: false, transitions: { state: ['new', 'solved'] } });
  });

  it('is in lists, groups, walks, exports, edits by filter and answers of writes', async () => {
    const id = await ticket('open');
    const told = await can(ann, 'ticket', id);
    const only = `filter=eq(id,${id})&include=title,can()`;
    const item = { title: 'open', can: told };
    expect(await ok(documented.get(`/ticket/unit?${only}`))).toMatchObject({ items: [item] });
    expect(await ok(documented.get(`/ticket/unit?${only}&cursor=`))).toMatchObject({ items: [item] });
    expect(await ok(documented.get(`/group/all_of_them/unit?${only}`))).toMatchObject({ items: [item] });
    const parent = await ticket('new');
    await ok(project.post(`/ticket/unit/${parent}/link/link/ticket/unit/${id}`));
    const walk = `/ticket/unit/${parent}/link/child?include=title,can()`;
    expect(await ok(documented.get(walk))).toMatchObject({ items: [item] });
    const lines = await ann.get(`/ticket/export?format=ndjson&${only}`);
    expect(JSON.parse(lines.text)).toMatchObject(item);
    const csv = await ann.get(`/ticket/export?format=csv&${only}`);
    expect(csv.text.split('\n')[0]?.trim()).toBe('title,can');
    expect(csv.text).toContain('""update""');
    expect(await ok(documented.put(`/ticket/unit/${id}?include=title,can()`, { title: 'open' }))).toMatchObject(item);
    const filtered = await ok(documented.put(`/ticket/unit?${only}`, { title: 'open' }));
    expect(filtered).toMatchObject({ items: [item] });
    const created = await ok(
      documented.post('/ticket/unit?include=mine:can()', [
        { title: 'a', owner: annId },
        { title: 'b', owner: bobId },
      ]),
    );
    const none = { state: ['new'] };
    expect(created).toMatchObject({
      items: [{ mine: { update: true, transitions: none } }, { mine: { update: false } }],
    });
  });

  it('is asked for by others too, and follows the rights of the moment', async () => {
    const id = await ticket('open', bobId);
    for (let at = 0; at < 4; at++) {
      // The statement is kept for those with the same rights, not what it answers.
      expect((await can(ann, 'ticket', id)).delete).toBe(false);
      expect((await can(bob, 'ticket', id)).delete).toBe(true);
    }
    const list = `/ticket/unit?filter=eq(id,${id})&include=can()`;
    for (let at = 0; at < 4; at++) {
      expect(await ok(ann.get(list))).toMatchObject({ items: [{ can: { delete: false } }] });
      expect(await ok(bob.get(list))).toMatchObject({ items: [{ can: { delete: true } }] });
    }
    const etag = (await bob.get(`/ticket/unit/${id}?include=can()`)).headers.get('etag');
    await ok(project.put(`/ticket/unit/${id}`, { owner: annId }));
    expect(await ok(bob.get(list))).toMatchObject({ items: [{ can: { delete: false } }] });
    expect((await bob.get(`/ticket/unit/${id}?include=can()`)).headers.get('etag')).not.toBe(etag);
    expect((await anonymous(project).get(list)).status).toBe(401);
  });

  it.each([
    ['include=can(),can()', 'include'],
    ['include=can(),mine:can()', 'include'],
    ['include=title:can()', 'include'],
    ['include=can(state)', 'include'],
    ['include=Can:can()', 'include'],
    ['filter=can()', undefined],
    ['order=can()', 'order'],
    ['exclude=can()', 'exclude'],
    ['load_links=true&include_linked=can()', 'include_linked'],
  ])('%s is refused', async (query, parameter) => {
    const reply = await ann.get(`/ticket/unit?${query}`);
    expect([query, reply.status]).toEqual([query, query === 'include=can(),can()' ? 200 : 400]);
    if (reply.status === 400) expect(reply.body.messages[0]?.parameter).toBe(parameter);
  });
});
