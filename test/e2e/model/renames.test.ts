/** `rename_to`: a definition gets another id, in every place that names it, and what is stored stays. */
import { describe, expect, it } from 'vitest';
import { asAdministrator, asMember, defineKinds, tokensOf } from '../../support/callers.js';
import {
  createdId,
  expectNoDrift,
  expectRefused,
  itRefuses,
  ok,
  query,
  type RefusalRow,
} from '../../support/definitions.js';
import { follow } from '../../support/live.js';
import { sharedService, type TestProject } from '../../support/service.js';
import { sideConnection } from '../../support/side-connection.js';

const service = await sharedService();
const STATES = {
  open: ['closed'],
  closed: [{ to: 'open', when: ['eq(oldwriter,@member.id)', 'eq(@member.oldrole,chief)'] }],
};

/** A project in which each place that can name a definition names those that are called old. */
async function namingEverywhere(): Promise<TestProject> {
  const project = await service.project();
  await asMember(project, 'oldperson');
  const own = (id: string, more: object) => ({ id, own: true, label: 'One', ...more });
  await ok(
    project.put('/kind/unit/oldperson', {
      label: 'One',
      parameters: [own('oldrole', { kind_id: 'string' }), own('oldteam', { kind_id: 'string' })],
    }),
  );
  await defineKinds(
    project,
    {
      id: 'oldplace',
      label: 'One',
      parameters: [{ id: 'oldcode', label: 'One', kind_id: 'string', is_primary: true }],
    },
    {
      id: 'oldpost',
      label: 'One',
      changes: 'history',
      parameters: [
        {
          id: 'oldtitle',
          label: 'One',
          kind_id: 'string',
          unique: true,
          indexed: true,
          read_access: ['eq(oldwriter,@member.id)'],
        },
        { id: 'oldnumber', label: 'One', kind_id: 'integer' },
        { id: 'oldline', label: 'One', kind_id: 'integer', sequence: true },
        { id: 'oldwriter', label: 'One', kind_id: 'unit', reference_kind: 'oldperson', default_unit: '@member.id' },
        { id: 'oldspot', label: 'One', kind_id: 'unit', reference_kind: 'oldplace' },
        { id: 'oldparent', label: 'One', kind_id: 'unit', reference_kind: 'oldpost' },
        { id: 'oldwords', label: 'One', kind_id: 'text', search: 'english' },
        own('oldstate', { kind_id: 'string', values: ['open', 'closed'], default_string: 'open' }),
        own('oldsigned', { kind_id: 'string', default_string: '@member.oldteam' }),
      ],
      unique: [['oldtitle', 'oldwriter']],
      indexes: [['oldstate', 'oldnumber']],
      checks: [{ id: 'positive', filter: 'or(isnull(oldnumber),gt(oldnumber,0))', text: 'It is more than nothing' }],
    },
  );
  await ok(project.put('/string/unit/oldpost.oldstate', { transitions: STATES }));
  const links = {
    id: 'oldcites',
    label: 'One',
    parameters: [{ id: 'oldpage', label: 'One', kind_id: 'integer', indexed: true }],
    access: { create: ['eq(parent.oldwriter,@member.id)', 'eq(child.kind_id,oldpost)'] },
  };
  await ok(project.post('/link/unit', links));
  const access = {
    read: [
      'eq(oldwriter.oldrole,chief)',
      'linked(oldcites,child,[oldpost],eq(link.oldpage,1))',
      'eq(oldwriter,@member.id)',
    ],
    update: ['and(eq(@member.kind_id,oldperson),eq(oldwriter,@member.id))'],
    delete: ['exists(oldpost.oldparent,gt(oldnumber,1))', 'in(oldstate,[open,closed])'],
  };
  await ok(project.put('/kind/unit/oldpost', { access }));
  await ok(project.post('/group/unit', { id: 'oldthings', label: 'One', kind_list: ['oldpost', 'oldplace'] }));
  return project;
}

/** Where a text stands in the tables of a project: `table.column: value`; names of tables, columns and the like too. */
async function placesOf(project: TestProject, text: string): Promise<string[]> {
  const columns = await query<{ table: string; column: string }>(
    project,
    `SELECT c.relname AS table, a.attname AS column
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
     WHERE n.nspname = $1 AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped`,
    [`project_${project.id}`],
  );
  const found: string[] = [];
  for (const { table, column } of columns) {
    // What a definition was before stays in its history.
    const isPast = ['_outbox', '_change'].includes(table) && ['before', 'after'].includes(column);
    const rows = await query<{ value: string }>(
      project,
      `SELECT t."${column}"::text AS value FROM $schema."${table}" AS t
       WHERE t."${column}"::text LIKE $1 ${isPast ? `AND t."kind" IN ('newpost', 'newperson', 'newplace')` : ''}`,
      [`%${text}%`],
    );
    found.push(...rows.map(({ value }) => `${table}.${column}: ${value}`));
  }
  const names = await query<{ name: string }>(
    project,
    `SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1
     UNION ALL SELECT a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND NOT a.attisdropped AND c.relkind = 'r'
     UNION ALL SELECT k.conname FROM pg_constraint k JOIN pg_namespace n ON n.oid = k.connamespace WHERE n.nspname = $1 AND k.contype <> 'n'`,
    [`project_${project.id}`],
  );
  // The member's own username and address are no names of definitions.
  const ofDefinitions = found.filter((place) => !/ann[_@]oldperson/.test(place));
  return [...ofDefinitions, ...names.filter(({ name }) => name.startsWith(text)).map(({ name }) => `name: ${name}`)];
}

const KINDS = ['oldpost', 'oldperson', 'oldplace'];
const PARAMETERS = {
  string: ['oldtitle', 'oldcode', 'oldperson.oldrole', 'oldperson.oldteam', 'oldpost.oldstate', 'oldpost.oldsigned'],
  text: ['oldwords'],
  integer: ['oldnumber', 'oldline', 'oldpage'],
  unit: ['oldwriter', 'oldspot', 'oldparent'],
};

describe('a rename', () => {
  it('reaches every place that names a definition, and what is stored stays', async () => {
    const project = await namingEverywhere();
    const { items: members } = await ok(project.get('/oldperson/unit'));
    const [member] = members as { id: string }[];
    await ok(project.put(`/oldperson/unit/${member?.id}`, { oldrole: 'chief', oldteam: 'red' }));
    const ann = project.as((await tokensOf(project, 'oldperson', member?.id ?? '')).access_token);
    await ok(project.post('/oldplace/unit', { oldcode: 'here' }));
    const posted = { oldtitle: 'One', oldnumber: 2, oldspot: 'here', oldwords: 'many words', oldwriter: member?.id };
    const first = await createdId(project.post('/oldpost/unit', posted));
    const second = await createdId(project.post('/oldpost/unit', { ...posted, oldtitle: 'Two' }));
    await ok(project.put(`/oldpost/unit/${first}`, { oldnumber: 3 }));
    await ok(project.post(`/oldpost/unit/${first}/link/oldcites/oldpost/unit/${second}`, { oldpage: 1 }));
    await ok(
      project.post('/webhook/unit', {
        id: 'hook',
        url: 'https://hooks.example.com/',
        kinds: ['oldpost'],
        filter: 'eq(oldspot.oldcode,here)',
      }),
    );
    const scope = [{ kinds: ['oldpost', 'oldplace'], operations: ['read'] }];
    const admin = await asAdministrator(project);
    const { id: keyId, secret } = (await ok(
      admin.post('/api_key/unit', { label: 'One', member: member?.id, scope }),
    )) as { id: string; secret: string };
    const claims = { oldteam: 'department' };
    await ok(
      admin.post('/identity_provider/unit', {
        id: 'login',
        label: 'One',
        issuer: 'https://login.example.com',
        client_id: 'x',
        member_kind: 'oldperson',
        claims,
        active: false,
      }),
    );
    expect(await placesOf(project, 'old')).not.toEqual([]);

    for (const id of KINDS) await ok(project.put(`/kind/unit/${id}`, { rename_to: id.replace('old', 'new') }));
    for (const [type, ids] of Object.entries(PARAMETERS)) {
      for (const id of ids) {
        const [name = '', kind] = id.split('.').reverse();
        const now = kind === undefined ? id : `${kind.replace('old', 'new')}.${name}`;
        await ok(project.put(`/${type}/unit/${now}`, { rename_to: name.replace('old', 'new') }));
      }
    }
    await ok(project.put('/group/unit/oldthings', { rename_to: 'newthings' }));
    expect(await ok(project.put('/link/unit/oldcites', { rename_to: 'newcites' }))).toMatchObject({ id: 'newcites' });

    expect(await placesOf(project, 'old')).toEqual([]);
    await expectNoDrift(project);
    const post = await ok(ann.get(`/newpost/unit/${first}`));
    expect(post).toMatchObject({
      kind_id: 'newpost',
      newtitle: 'One',
      newnumber: 3,
      newspot: 'here',
      newline: 1,
      newstate: 'open',
      newwriter: member?.id,
    });
    expect(await ok(ann.put(`/newpost/unit/${first}`, { newnumber: 4 }))).toMatchObject({ newnumber: 4 });
    expect(await ok(ann.get('/auth/me'))).toMatchObject({ kind_id: 'newperson', newrole: 'chief' });
    const { items: versions } = await ok(project.get(`/newpost/unit/${first}/history`));
    expect(versions).toHaveLength(3);
    expect(await ok(project.get(`/newpost/unit/${first}/link/child?link_id=newcites`))).toMatchObject({ count: 1 });
    expect(await ok(project.get('/webhook/unit/hook'))).toMatchObject({
      kinds: ['newpost'],
      filter: 'eq(newspot.newcode,here)',
      state: 'ok',
    });
    const [key] = await query<{ scope: unknown }>(project, 'SELECT scope FROM $schema.api_key WHERE id::text = $1', [
      keyId,
    ]);
    expect(key?.scope).toEqual([{ kinds: ['newpost', 'newplace'], operations: ['read'] }]);
    expect((await project.as(secret).get('/newpost/unit')).status).toBe(200);
    expect(await ok(project.get('/group/unit/newthings'))).toMatchObject({ kind_list: ['newpost', 'newplace'] });
    expect((await project.get('/oldpost/unit')).status).toBe(404);
    const created = await ok(project.post('/newpost/unit', { newtitle: 'Three', newspot: 'here' }));
    expect(created).toMatchObject({ newline: 3 });
  }, 60_000);
});

describe('what a rename says', () => {
  it('shows it before it is done, and names it in the audit log', async () => {
    const project = await service.project();
    await defineKinds(project, {
      id: 'post',
      label: 'Post',
      parameters: [{ id: 'headline', label: 'One', kind_id: 'string' }],
    });
    await ok(project.post('/post/unit', { headline: 'One' }));
    const { status, body } = await project.put('/kind/unit/post?dry_run=changes', { rename_to: 'article' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      content: { id: 'article' },
      changes: {
        definitions: [{ definition: 'kind', id: 'article', was: 'post', change: 'renamed' }],
        tables: [{ step: 'rename_table', table: 'post', to: 'article' }],
        losses: [],
        access: [],
      },
    });
    expect(await ok(project.get('/post/unit'))).toMatchObject({ count: 1 });
    const { body: column } = await project.put('/string/unit/headline?dry_run=changes', {
      rename_to: 'title',
      label: 'Title',
    });
    expect(column).toMatchObject({
      changes: {
        definitions: [
          { definition: 'parameter', id: 'title', was: 'headline', change: 'renamed' },
          { definition: 'parameter', id: 'title', change: 'changed', settings: ['label'] },
        ],
        tables: [{ step: 'rename_column', table: 'post', column: 'headline', to: 'title' }],
      },
    });
  });

  it('takes other fields of the body with the new names, in one change', async () => {
    const project = await service.project();
    await defineKinds(project, {
      id: 'post',
      label: 'Post',
      parameters: [{ id: 'title', label: 'One', kind_id: 'string' }],
    });
    const body = { rename_to: 'article', label: 'Article', access: { update: ['eq(title,open)'] } };
    expect(await ok(project.put('/kind/unit/post', body))).toMatchObject({
      id: 'article',
      label: 'Article',
      access: body.access,
    });
    expect(await ok(project.put('/kind/unit/article', { rename_to: 'article' }))).toMatchObject({ id: 'article' });
  });
});

const OWN = { id: 'state', own: true, label: 'State', kind_id: 'string' };
const project = await service.project();
await asMember(project);
await defineKinds(
  project,
  { id: 'post', label: 'Post', parameters: [{ id: 'title', label: 'Title', kind_id: 'string' }, OWN] },
  { id: 'page', label: 'Page', parameters: ['title', { id: 'size', label: 'Size', kind_id: 'integer' }] },
);
await ok(project.post('/group/unit', { id: 'things', label: 'Things', kind_list: ['post'] }));
await ok(project.post('/link/unit', { id: 'cites', label: 'Cites' }));
const member = await asMember(project, 'reader');

describe('a rename that is refused', () => {
  const row = (path: string, body: object, status: number, messages: string[], text?: RegExp): RefusalRow => {
    return {
      name: `${path} ${JSON.stringify(body)}`,
      call: ['PUT', path, body],
      status,
      messages,
      ...(text && { text }),
    };
  };
  const to = (id: unknown) => ({ rename_to: id });
  itRefuses(project, [
    row('/kind/unit/post', to('Not an id'), 400, ['parameter.bad_value rename_to'], /Not an id/),
    row('/kind/unit/post', to(null), 400, ['parameter.bad_value rename_to'], /null/),
    row('/kind/unit/post', to('page'), 409, ['kind.exists rename_to']),
    row('/kind/unit/post', to('auth'), 400, ['kind.reserved rename_to']),
    row('/kind/unit/post', to('kind_post'), 400, ['kind.reserved rename_to']),
    row('/kind/unit/kind_admin', to('boss'), 403, ['kind.built_in']),
    row('/kind/unit/nothing', to('boss'), 404, ['unit.unknown']),
    row('/kind/unit/post', { id: 'article' }, 400, ['parameter.immutable id'], /'rename_to' gives it another id/),
    row('/kind/unit/post', { ...to('article'), label: 1 }, 400, ['parameter.bad_type label']),
    row('/string/unit/title', to('size'), 409, ['parameter.exists rename_to']),
    row('/string/unit/title', to('links'), 400, ['parameter.reserved rename_to']),
    row('/string/unit/title', to('state'), 409, ['parameter.exists rename_to'], /'post' has a parameter 'state'/),
    row('/string/unit/post.state', to('title'), 409, ['parameter.exists rename_to']),
    row('/group/unit/things', to('unit'), 400, ['group.reserved rename_to']),
    row('/link/unit/cites', to('kind_link'), 400, ['link.reserved rename_to']),
    row('/post/unit/0', to('other'), 404, ['unit.unknown']),
  ]);

  it('of a parameter that a rule names without its kind', async () => {
    const own = { id: 'page', label: 'Page', parameters: ['title', 'size', OWN] };
    await ok(project.put('/kind/unit/page', own));
    await ok(project.put('/link/unit/cites', { access: { create: ['eq(parent.state,open)'] } }));
    await expectRefused(project, () => project.put('/string/unit/page.state', { rename_to: 'phase' }), {
      status: 400,
      messages: ['parameter.bad_definition rename_to'],
      text: /name the kind in the rule first/,
    });
  });

  it('by one who may not change definitions', async () => {
    expect((await member.put('/kind/unit/post', { rename_to: 'article' })).status).toBe(403);
    expect((await project.get('/post/unit')).status).toBe(200);
  });
});

describe('a rename while others write', () => {
  it('loses no answered write, of units or of links, and is done once', async () => {
    const one = await service.project();
    await defineKinds(one, {
      id: 'post',
      label: 'Post',
      changes: 'history',
      parameters: [{ id: 'title', label: 'One', kind_id: 'string' }],
    });
    await ok(one.post('/link/unit', { id: 'cites', label: 'Cites' }));
    const made: string[] = [];
    const linked: string[] = [];
    const first = await createdId(one.post('/post/unit', { title: 'First' }));
    let isOver = false;
    const writers = Array.from({ length: 6 }, async () => {
      while (!isOver) {
        const post = await one.post('/post/unit', { title: 'One' });
        if (post.status >= 300) break;
        const { id } = post.body.content;
        made.push(id);
        const link = await one.post(`/post/unit/${first}/link/cites/post/unit/${id}`, {});
        if (link.status < 300) linked.push(id);
      }
    });
    await expect.poll(() => linked.length).toBeGreaterThan(10);
    const renames = [{ rename_to: 'article' }, { rename_to: 'article' }].map((body) =>
      one.put('/kind/unit/post', body),
    );
    await ok(one.put('/link/unit/cites', { rename_to: 'names' }));
    const statuses = (await Promise.all(renames)).map(({ status }) => status);
    isOver = true;
    await Promise.all(writers);
    expect(statuses.sort()).toEqual([200, 404]);
    expect(await ok(one.get('/article/unit?limit=1'))).toMatchObject({ count: made.length + 1 });
    const [count] = await query<{ n: number; old: number }>(
      one,
      `SELECT count(*)::int AS n, count(*) FILTER (WHERE link_id = 'cites' OR parent_kind = 'post' OR child_kind = 'post')::int AS old FROM $schema._link`,
    );
    expect(count).toEqual({ n: linked.length, old: 0 });
    expect(await placesOf(one, 'post')).toEqual([]);
    await expectNoDrift(one);
  }, 60_000);
});

describe('a rename while others are at work', () => {
  it('of a member kind goes on for its members: requests, live lists, idempotency keys, and what is being recorded', async () => {
    const one = await service.project();
    const side = await sideConnection();
    const member = await asMember(one);
    const access = { read: ['eq(@member.kind_id,person)'], create: 'member' };
    await defineKinds(one, {
      id: 'post',
      label: 'Post',
      changes: 'feed',
      parameters: [],
      access: { create: 'member' },
    });
    await ok(one.put('/kind/unit/post', { access }));
    const live = await follow(member, { posts: '/post/unit' });
    await live.next('page');
    const keyed = () => member.post('/post/unit', {}, { headers: { 'idempotency-key': 'one' } });
    const first = await createdId(keyed());
    const unlock = await side.lock(one, 'post');
    const posting = member.post('/post/unit', {});
    await side.waiting(one, 'post');
    await ok(one.put('/kind/unit/person', { rename_to: 'human' }));
    await unlock();
    const second = await createdId(posting);
    await live.until(() => live.ids('posts').length === 2);
    expect(await createdId(keyed())).toBe(first);
    expect(live.ids('posts')).toEqual([first, second].sort());
    expect(live.ended).toBe(false);

    const release = await side.holding(
      one,
      `INSERT INTO _outbox ("origin", "operation", "kind", "unit", "version", "before", "after")
       VALUES ('{"via":"api","member_kind":"human"}', 'update', 'post', '${first}', 1, '{}', '{}')`,
    );
    const renaming = one.put('/kind/unit/human', { rename_to: 'person' });
    await side.blocked();
    await release();
    await ok(renaming);
    expect(await placesOf(one, 'human')).toEqual([]);
  }, 30_000);

  it('finds what they store then: numbers of units, changes that are followed, and links', async () => {
    const one = await service.project();
    const side = await sideConnection();
    await defineKinds(
      one,
      { id: 'post', label: 'Post', changes: 'feed', parameters: [] },
      { id: 'far', label: 'Far', remote: true, parameters: [] },
      { id: 'page', label: 'Page', changes: 'feed', parameters: [] },
    );
    await ok(one.post('/webhook/unit', { id: 'hook', url: 'https://hooks.example.com/', kinds: ['page', 'post'] }));
    await ok(one.delete('/kind/unit/page'));
    for (let made = 0; made < 3; made++) await ok(one.post('/post/unit', {}));
    const store = async (statement: string, to: string, from: string): Promise<void> => {
      const release = await side.holding(one, statement);
      const renaming = one.put(`/kind/unit/${from}`, { rename_to: to });
      await side.blocked();
      await release();
      await ok(renaming);
    };
    await store(
      `WITH lock AS MATERIALIZED (
         SELECT pg_advisory_xact_lock(hashtextextended('count project_${one.id}.post', 0))
       ), taken AS (DELETE FROM _count USING lock WHERE "table" = 'post' RETURNING "change")
       INSERT INTO _count SELECT 'post', sum("change") FROM taken`,
      'article',
      'post',
    );
    expect(await ok(one.get('/article/unit?limit=1'))).toMatchObject({ count: 3 });
    await store(
      `INSERT INTO _task ("id", "follower", "seq", "operation", "kind", "unit", "version", "state", "attempts")
       VALUES (gen_random_uuid(), 'after_commit article', 1, 'create', 'article', 'a', 1, 'waiting', 0)`,
      'page',
      'article',
    );
    expect(await query(one, 'SELECT "follower", "kind" FROM $schema._task')).toEqual([
      { follower: 'after_commit page', kind: 'page' },
    ]);
    expect(await ok(one.get('/webhook/unit/hook'))).toMatchObject({ kinds: ['page'] });
    await store(
      `INSERT INTO _link ("parent_kind", "parent_id", "child_kind", "child_id", "link_id", "inserted_at")
       VALUES ('page', 'a', 'far', 'b', 'cites', now())`,
      'near',
      'far',
    );
    expect(await query(one, 'SELECT "child_kind" FROM $schema._link')).toEqual([{ child_kind: 'near' }]);
  }, 30_000);
});
