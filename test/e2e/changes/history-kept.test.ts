/** How long histories are kept, and what removes them: erasing, settings, parameters and kinds that go. */
import { expect, it } from 'vitest';
import { asMember, defineKinds } from '../../support/callers.js';
import { schemaName } from '../../../src/model/names.js';
import { forgetChangesStatement, forgetHistoryStatement } from '../../../src/sql/changes/number.sql.js';
import { ok, query } from '../../support/definitions.js';
import { sharedService, type TestProject } from '../../support/service.js';

const service = await sharedService();
const project = await service.project();
const ann = await asMember(project);
const open = { create: 'member', update: 'member', read: 'member', delete: 'member', link: 'member' };
await asMember(project, 'guest');
await ok(
  project.put('/kind/unit/guest', {
    changes: 'history',
    parameters: [{ id: 'note', kind_id: 'string' }],
    access: { history: 'member', read: 'member' },
  }),
);
const member = (id: string, note: string, key: string) =>
  ok(project.post('/guest/unit', { username: id, email: `${id}@example.com`, note }, keyed(key))) as Promise<{
    id: string;
  }>;
const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });
const history = async (kind: string, id: string, caller = project) =>
  ((await ok(caller.get(`/${kind}/unit/${id}/history`))) as { items: Version[] }).items;
const refusal = async (answer: ReturnType<TestProject['get']>) => {
  const { status, body } = await answer;
  return [status, body.messages[0]?.code];
};
interface Version {
  readonly version: number;
  readonly operation: string;
  readonly changes: Record<string, unknown>;
  readonly erased?: true;
}

/** The tables of the project that have a text somewhere. */
async function tablesWith(text: string): Promise<string[]> {
  const tables = await query<{ name: string }>(
    project,
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = '${schemaName(project.id)}'`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const [row] = await query<{ count: number }>(
      project,
      `SELECT count(*)::int AS count FROM $schema."${name}" AS t WHERE strpos(t::text, '${text}') > 0`,
    );
    if (row?.count) found.push(name);
  }
  return found.sort();
}

it('a member who is deleted, in whatever way, leaves no value', async () => {
  await defineKinds(project, {
    id: 'team',
    access: open,
    parameters: [{ id: 'name', kind_id: 'string' }],
  });
  await ok(
    project.put('/kind/unit/guest', {
      parameters: ['note', { id: 'team', kind_id: 'unit', reference_kind: 'team', on_delete: 'cascade' }],
    }),
  );
  const team = (await ok(project.post('/team/unit', { name: 't' }))) as { id: string };
  const batch = (key: string, ...operations: object[]) => project.post('/batch', { operations }, keyed(key));
  const removal = (id: string) => ({ method: 'DELETE', path: `/guest/unit/${id}` });
  const ways: Record<string, (id: string, canary: string) => Promise<unknown>> = {
    'one by one': (id) => ok(project.delete(`/guest/unit/${id}`)),
    'by filter': (id) => ok(project.delete(`/guest/unit?filter=eq(id,${id})`)),
    'by its value, with a key': (_, canary) =>
      ok(project.delete(`/guest/unit?filter=startswith(note,${canary})`, keyed('value'))),
    'in a batch': async (id) => {
      const first = await ok(batch('removed', removal(id)));
      expect(await ok(batch('removed', removal(id)))).toEqual(first);
    },
    'in a batch that reads it before': async (id) => {
      const other = (await member('other', 'other', 'other')).id;
      const operations = [{ method: 'GET', path: `/guest/unit/${id}` }, removal(id), removal(other)];
      expect(await ok(batch('read', ...operations))).toMatchObject({ items: [{ content: { id } }, {}, {}] });
      expect(await refusal(batch('read', ...operations))).toEqual([409, 'idempotency.erased']);
    },
    'by a reference': () => ok(project.delete(`/team/unit/${team.id}`)),
  };
  for (const [at, [way, remove]] of Object.entries(ways).entries()) {
    const canary = `canary${at}`;
    const { id } = await member(canary, canary, `made${at}`);
    await ok(project.put(`/guest/unit/${id}`, { note: `${canary} again`, team: team.id }, keyed(`edit${at}`)));
    await project.get('/guest/history');
    expect(await tablesWith(canary), way).toContain('_change');
    await remove(id, canary);
    expect(await tablesWith(canary), way).toEqual([]);
    const versions = await history('guest', id);
    expect(
      versions.map(({ operation }) => operation),
      way,
    ).toEqual(['delete', 'update', 'create']);
    expect(versions.every(({ erased }) => erased)).toBe(true);
    expect(versions[1]?.changes).toEqual({ note: [null, null], team: [null, null] });
    const again = project.post(
      '/guest/unit',
      { username: canary, email: `${canary}@example.com`, note: canary },
      keyed(`made${at}`),
    );
    expect(await refusal(again), way).toEqual([409, 'idempotency.erased']);
    expect(await refusal(project.get(`/guest/unit/${id}?as_of=${versions[1]?.version}`)), way).toEqual([
      404,
      'history.unknown',
    ]);
  }
});

it('the values in the history of a unit are removed, and what is written afterwards is there', async () => {
  await defineKinds(project, {
    id: 'post',
    changes: 'history',
    access: { ...open, read: 'eq(state,open)', history: 'member' },
    parameters: [
      { id: 'text', kind_id: 'string' },
      { id: 'state', kind_id: 'string' },
    ],
  });
  const { id } = (await ok(project.post('/post/unit', { text: 'bird1', state: 'open' }, keyed('bird')))) as {
    id: string;
  };
  const other = (await ok(project.post('/post/unit', { text: 'bird1', state: 'open' }))) as { id: string };
  await ok(project.put(`/post/unit/${id}`, { text: 'bird2' }));
  await ok(project.delete(`/post/unit/${id}/history?dry_run=true`));
  expect(await history('post', id)).toMatchObject([{ changes: { text: ['bird1', 'bird2'] } }, {}]);
  expect(await refusal(ann.delete(`/post/unit/${id}/history`))).toEqual([403, 'access.denied']);
  await ok(project.delete(`/post/unit/${id}/history`));
  expect(await tablesWith('bird2')).toEqual(['post']);
  await ok(project.put(`/post/unit/${id}`, { text: 'bird3' }));
  const versions = await history('post', id);
  expect(versions.map(({ changes, erased }) => [changes['text'], erased])).toEqual([
    [['bird2', 'bird3'], undefined],
    [[null, null], true],
    [[null, null], true],
  ]);
  // What a rule said of the erased ones, nobody knows.
  expect((await history('post', id, ann)).length).toBe(1);
  expect((await history('post', other.id, ann)).length).toBe(1);
  expect(await refusal(project.post('/post/unit', { text: 'x' }, keyed('bird')))).toEqual([409, 'idempotency.erased']);
  const feed = (await ok(project.get('/changes?kinds=[post]&since=&limit=1000'))) as { items: Version[] };
  expect(JSON.stringify(feed.items.filter(({ erased }) => erased))).not.toContain('bird1');
  const never = '0198c0de-0000-7000-8000-000000000000';
  expect(await refusal(project.delete(`/post/unit/${never}/history`))).toEqual([404, 'unit.unknown']);
  expect(await refusal(project.delete(`/team/unit/${never}/history`))).toEqual([400, 'history.off']);
});

it('kept answers go that may show values of a unit without its id', async () => {
  const text = (id: string) => ({ id, kind_id: 'string', own: true });
  const key = (kindId: string) => ({ id: 'code', kind_id: kindId, is_primary: true, own: true });
  const owner = { id: 'owner', kind_id: 'unit', reference_kind: 'guest', on_delete: 'set_null', own: true };
  const kinds = { uq: [], paper: [key('string'), owner], count: [key('integer')], day: [key('date')] };
  await defineKinds(
    project,
    ...Object.entries(kinds).map(([id, parameters]) => {
      return { id, changes: 'history', access: open, parameters: [...parameters, text('mail')] };
    }),
  );
  const { id } = (await ok(project.post('/uq/unit', { mail: 'made1' }))) as { id: string };
  const { id: other } = (await ok(project.post('/uq/unit', { mail: 'made2' }))) as { id: string };
  const gone = (await ok(project.post('/uq/unit', { mail: 'made3' }))) as { id: string };
  const ann = await member('leaf', 'leaf@note', 'leafmade');
  await ok(project.post('/paper/unit', { code: 'k9', owner: ann.id }));
  await ok(project.post('/count/unit', { code: 9, mail: 'made1' }));
  await ok(project.post('/day/unit', { code: '2026-01-31', mail: 'made1' }));
  // A key that does not have the value.
  const keyOf = (mail: string) => Buffer.from(mail).toString('hex');
  const edit = (path: string, mail: string) => () => project.put(path, { mail }, keyed(keyOf(mail)));
  const batch = (mail: string, ...operations: object[]) => {
    return () => project.post('/batch', { operations }, keyed(keyOf(mail)));
  };
  const erase = (kind: string, unit: string) => () => ok(project.delete(`/${kind}/unit/${unit}/history`));
  const owned = '/paper/unit/k9?include=[code,owner.note,owner.email]';
  const change = (unit: string, mail: string, query = '') => {
    return { method: 'PUT', path: `/uq/unit/${unit}${query}`, body: { mail } };
  };
  const found = { method: 'GET', path: '/uq/unit?filter=eq(mail,leaf8)&include=[mail]' };
  const cases: [string, () => ReturnType<TestProject['get']>, () => Promise<unknown>][] = [
    ['leaf1', edit(`/uq/unit/${id}?include=[mail]`, 'leaf1'), erase('uq', id)],
    ['leaf@note', edit(owned, 'leaf'), () => ok(project.delete(`/guest/unit/${ann.id}`))],
    ['leaf2', edit('/paper/unit/k9', 'leaf2'), erase('paper', 'k9')],
    ['leaf3', edit('/paper/unit/k9?include=[mail]', 'leaf3'), erase('paper', 'k9')],
    ['leaf4', edit('/count/unit/9', 'leaf4'), erase('count', '9')],
    ['leaf5', edit('/count/unit/9?include=[mail]', 'leaf5'), erase('count', '9')],
    ['leaf6', edit('/day/unit/2026-01-31', 'leaf6'), erase('day', '2026-01-31')],
    ['leaf7', batch('leaf7', change(id, 'leaf7', '?include=[mail]')), erase('uq', id)],
    ['leaf8', batch('leaf8', change(id, 'leaf8'), found), erase('uq', id)],
    ['leaf9', batch('leaf9', change(id, 'leaf9')), erase('uq', id)],
  ];
  // Answers that show another unit as a whole, or none, stay.
  const kept = [
    edit(`/uq/unit/${other}`, 'plain'),
    batch('batch', change(other, 'batch')),
    () => project.delete('/uq/unit?filter=eq(mail,none)', keyed('none')),
    () => project.delete(`/uq/unit/${gone.id}?cascade=true&dry_run=false`, keyed('gone')),
  ];
  const first = [];
  for (const write of kept) first.push(await ok(write()));
  for (const [value, write, remove] of cases) {
    await ok(write());
    expect(await tablesWith(value), value).toContain('_idempotency');
    await remove();
    expect(await refusal(write()), value).toEqual([409, 'idempotency.erased']);
    const tables = (await tablesWith(value)).filter((table) => !(table in kinds));
    expect(tables, value).toEqual([]);
  }
  const again = [];
  for (const write of kept) again.push(await ok(write()));
  expect(again).toEqual(first);
});

it('a history is left with cascade alone, and is gone then', async () => {
  await defineKinds(project, { id: 'log', changes: 'history', access: open, parameters: ['text'] });
  const { id } = (await ok(project.post('/log/unit', { text: 'a' }))) as { id: string };
  expect(await refusal(project.put('/kind/unit/log', { changes: 'feed' }))).toEqual([409, 'history.kept']);
  await ok(project.put('/kind/unit/log?cascade=true', { changes: 'feed' }));
  expect(await refusal(project.get(`/log/unit/${id}/history`))).toEqual([400, 'history.off']);
  const feed = (await ok(project.get('/changes?kinds=[log]&since='))) as { count: number };
  expect(feed.count).toBe(1);
  // What the feed still has is no history again.
  await ok(project.put('/kind/unit/log', { changes: 'history' }));
  expect(await history('log', id)).toEqual([]);
  expect(await refusal(project.get(`/log/unit/${id}?as_of=2020-01-01`))).toEqual([400, 'history.not_kept']);
  await ok(project.put('/kind/unit/log', { changes: 'feed' }));
  await ok(project.put('/kind/unit/log', { changes: 'history' }));
  await ok(project.put(`/log/unit/${id}`, { text: 'b' }));
  expect(await history('log', id)).toMatchObject([{ operation: 'update', changes: { text: ['a', 'b'] } }]);
  expect(await ok(project.get('/changes?kinds=[log]&since='))).toMatchObject({ count: 2 });
  await query(project, `UPDATE $schema._change SET "version" = 1 WHERE "kind" = 'log' AND "operation" = 'create'`);
  await service.service.database.run(forgetChangesStatement(schemaName(project.id), 30));
  const rows = await query(project, `SELECT "operation" FROM $schema._change WHERE "kind" = 'log'`);
  expect(rows).toEqual([{ operation: 'update' }]);
  await ok(project.put('/kind/unit/log?cascade=true', { changes: 'none' }));
  expect(await query(project, `SELECT 1 FROM $schema._change WHERE "kind" = 'log'`)).toEqual([]);
  await ok(project.put('/kind/unit/log', { changes: 'history' }));
  await ok(project.put('/kind/unit/log', { changes: 'none' }));
});

it('a parameter that is gone leaves no values for another one of its name', async () => {
  const text = { id: 'text', kind_id: 'string', own: true };
  await defineKinds(project, {
    id: 'memo',
    changes: 'history',
    access: { ...open, history: 'member' },
    parameters: [text, { id: 'count', kind_id: 'integer', own: true }],
  });
  const { id } = (await ok(project.post('/memo/unit', { text: 'old', count: 1 }))) as { id: string };
  await ok(project.put(`/memo/unit/${id}`, { text: 'older', count: 2 }));
  await ok(project.put('/kind/unit/memo?cascade=true', { parameters: ['count'] }));
  await ok(project.put('/kind/unit/memo', { parameters: ['count', text] }));
  await ok(project.put(`/memo/unit/${id}`, { text: 'new' }));
  const versions = await history('memo', id);
  expect(versions.map(({ changes }) => changes['text'])).toEqual([[null, 'new'], undefined, undefined]);
  expect(versions[1]?.changes).toMatchObject({ count: [1, 2] });
  const past = await ok(project.get(`/memo/unit/${id}?as_of=${versions[1]?.version}`));
  expect(past).toMatchObject({ text: null, count: 2 });
});

it('versions are kept for the days of their kind, and those of others stay', async () => {
  await defineKinds(
    project,
    { id: 'short', changes: 'history', history_keep: 10, access: open, parameters: ['text'] },
    { id: 'long', changes: 'history', access: open, parameters: ['text'] },
  );
  const ids: Record<string, string> = {};
  for (const kind of ['short', 'long']) {
    ids[kind] = ((await ok(project.post(`/${kind}/unit`, { text: 'a' }))) as { id: string }).id;
    await project.get(`/${kind}/history`);
    await query(
      project,
      `UPDATE $schema._change SET "version" = "version" - 40 * 86400000000 WHERE "kind" = '${kind}'`,
    );
    await ok(project.put(`/${kind}/unit/${ids[kind]}`, { text: 'b' }));
  }
  const operations = async (kind: string) => (await history(kind, ids[kind] ?? '')).map(({ operation }) => operation);
  // Hidden at once, and deleted when nobody reads it as a feed any more.
  expect([await operations('short'), await operations('long')]).toEqual([['update'], ['update', 'create']]);
  const rows = async (kind: string) =>
    (await query(project, `SELECT 1 FROM $schema._change WHERE "kind" = '${kind}'`)).length;
  const others = await rows('guest');
  const forget = async () => {
    const [row] = await service.service.database.run<{ forgotten: number }>(
      forgetHistoryStatement(schemaName(project.id)),
    );
    return row?.forgotten;
  };
  expect(await forget()).toBe(0);
  await query(project, `UPDATE $schema._change SET "version" = 1 WHERE "seq" < 5`);
  await query(project, `UPDATE $schema._feed SET "kept" = (SELECT max("seq") FROM $schema._change)`);
  expect(await forget()).toBe(1);
  expect([await rows('short'), await rows('long'), await rows('guest')]).toEqual([1, 2, others]);
  for (const days of [0, 3651, 'x']) {
    expect((await project.put('/kind/unit/short', { history_keep: days })).status, String(days)).toBe(400);
  }
  await ok(project.put('/kind/unit/short', { history_keep: null }));
  expect(forgetChangesStatement(schemaName(project.id), 30).text).toContain('history');
});
