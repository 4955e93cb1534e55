/** `include` on writes that answer units. */
import { describe, expect, it } from 'vitest';
import { asMember, defineKinds } from '../../support/callers.js';
import { createdId, ok, refusalOf } from '../../support/definitions.js';
import { FunctionsFolder, sharedServiceWith } from '../../support/functions.js';
import type { TestProject } from '../../support/service.js';
import { LIMITS } from '../../../src/shared/limits.js';
import { sideConnection } from '../../support/side-connection.js';

const folder = new FunctionsFolder({
  'hooked.ts': `
    import { kind } from 'kind';
    export default kind('hooked').module({
      hooks: {
        before_create: ({ values }) => ({ label: values.label + '!' }),
        after_create: async ({ unit, system }) => { await system.units('note').create({ label: 'made', hooked: unit.id }); },
      },
    });`,
});
const service = await sharedServiceWith(folder);
const project = await service.project();
const ann = await asMember(project);
const OPEN = { read: 'member', create: 'member', update: 'member', delete: 'member' };
await defineKinds(
  project,
  {
    id: 'country',
    parameters: [
      { id: 'code', kind_id: 'string', is_primary: true },
      { id: 'name', kind_id: 'string' },
    ],
  },
  { id: 'hooked', parameters: [{ id: 'label', kind_id: 'string' }] },
  {
    id: 'note',
    parameters: ['label', { id: 'hooked', kind_id: 'unit', reference_kind: 'hooked' }],
  },
  {
    id: 'city',
    access: OPEN,
    parameters: [
      'name',
      { id: 'number', kind_id: 'integer', unique: true },
      { id: 'country', kind_id: 'unit', reference_kind: 'country' },
      { id: 'secret', kind_id: 'string', read_access: 'admin' },
    ],
  },
  {
    id: 'blind',
    parameters: ['name', 'country'],
    access: { read: 'eq(name,seen)', create: 'member', update: 'member' },
  },
  { id: 'posted', parameters: ['name'], access: { read: 'admin', create: 'member' } },
  { id: 'far', remote: true, parameters: ['name'] },
);
await ok(
  project.post('/country/unit', [
    { code: 'IT', name: 'Italy' },
    { code: 'FR', name: 'France' },
  ]),
);
const documented = await project.documented();
const member = await ann.documented();

describe('include', () => {
  it('on a create answers what it names, of one and of many in their order', async () => {
    const rome = { name: 'Rome', country: 'IT' };
    expect(await ok(documented.post('/city/unit?include=name,country.name', rome))).toEqual({
      name: 'Rome',
      'country.name': 'Italy',
    });
    expect(await ok(documented.post('/city/unit?include=country.name&nest=true', rome))).toEqual({
      country: { id: 'IT', name: 'Italy' },
    });
    const bodies = Array.from({ length: 30 }, (_, n) => ({ name: `city ${n}`, country: n % 2 === 0 ? 'IT' : 'FR' }));
    const many = (await ok(documented.post('/city/unit?include=[name,country.name]', bodies))) as { items: object[] };
    expect(many).toEqual({
      count: 30,
      items: bodies.map(({ name, country }) => ({ name, 'country.name': country === 'IT' ? 'Italy' : 'France' })),
    });
  });

  it('on an edit answers what it names, with the ETag of the unit', async () => {
    const id = await createdId(project.post('/city/unit', { name: 'Paris', country: 'IT' }));
    const reply = await documented.put(`/city/unit/${id}?include=id,name,country.name`, { country: 'FR' });
    expect(reply.body.content).toEqual({ id, name: 'Paris', 'country.name': 'France' });
    const etag = reply.headers.get('etag') ?? '';
    const plain = await documented.put(`/city/unit/${id}?include=name`, {}, { headers: { 'if-match': etag } });
    expect(plain.body.content).toEqual({ name: 'Paris' });
    expect((await project.put(`/city/unit/${id}`, {}, { headers: { 'if-match': etag } })).status).toBe(412);
  });

  it('that takes long fails the write, so that others do not wait for what it has locked', async () => {
    const { writtenSeconds } = LIMITS;
    const id = await createdId(project.post('/city/unit', { name: 'Nice', country: 'FR' }));
    const side = await sideConnection();
    const release = await side.lock(project, 'country');
    try {
      Object.assign(LIMITS, { writtenSeconds: 0.3 });
      for (const unit of [`/${id}?`, '?filter=eq(name,Nice)&']) {
        const slow = await project.put(`/city/unit${unit}include=name,country.name`, { name: 'Slow' });
        expect([slow.status, ...slow.body.messages]).toMatchObject([503, { code: 'query.timeout' }]);
        expect(await ok(project.put(`/city/unit/${id}?include=name`, {}))).toEqual({ name: 'Nice' });
      }
    } finally {
      Object.assign(LIMITS, { writtenSeconds });
      await release();
    }
  });

  it('on an upsert, one and many, created, updated, unchanged and ignored', async () => {
    const url = '/city/unit?on_conflict=update&by=number&include=name,country.name';
    const italy = { number: 1, name: 'Bari', country: 'IT' };
    const shown = { name: 'Bari', 'country.name': 'Italy' };
    for (const result of ['created', 'unchanged']) {
      const reply = await documented.post(url, italy);
      expect(reply.body.content).toEqual(shown);
      expect(reply.headers.get('kind-result')).toBe(result);
    }
    const bodies = [italy, { number: 2, name: 'Lyon', country: 'FR' }];
    const many = (await ok(documented.post(url, bodies))) as object;
    expect(many).toEqual({
      count: 2,
      items: [shown, { name: 'Lyon', 'country.name': 'France' }],
      results: ['unchanged', 'created'],
    });
    const ignored = await project.post(url.replace('=update', '=ignore'), { ...italy, name: 'Other' });
    expect(ignored.body.content).toEqual(shown);
  });

  it('shows no more related units than a page of a list may', async () => {
    const many = encodeURIComponent('a:related(note.hooked,limit=100),b:related(note.hooked,limit=100)');
    const bodies = Array.from({ length: 600 }, (_, at) => ({ label: String(at) }));
    const { status, body } = await project.post(`/hooked/unit?include=${many}`, bodies);
    expect(status).toBe(400);
    expect(body.messages?.[0]).toMatchObject({ code: 'query.too_large', parameter: 'include' });
    expect(await ok(project.get('/hooked/unit?limit=0&filter=eq(label,0)'))).toMatchObject({ count: 0 });
  });

  it('answers what hooks made of the unit, and around it', async () => {
    const url = `/hooked/unit?include=label,${encodeURIComponent('notes:count_related(note.hooked)')}`;
    expect(await ok(documented.post(url, { label: 'a' }))).toEqual({ label: 'a!', notes: 1 });
  });

  it('of units that the caller may not read answers their id and kind', async () => {
    const url = '/blind/unit?include=name,country.name';
    expect(await ok(member.post(url, { name: 'seen', country: 'IT' }))).toEqual({
      name: 'seen',
      'country.name': 'Italy',
    });
    const hidden = (await ok(member.post(url, [{ name: 'hidden' }, { name: 'seen' }]))) as { items: object[] };
    expect(hidden.items).toEqual([
      { id: expect.any(String) as string, kind_id: 'blind' },
      { name: 'seen', 'country.name': null },
    ]);
    expect(await ok(member.post('/posted/unit?include=name', { name: 'a' }))).toEqual({
      id: expect.any(String) as string,
      kind_id: 'posted',
    });
    const own = await createdId(project.post('/blind/unit', { name: 'seen' }));
    const left = await member.put(`/blind/unit/${own}?include=name`, { name: 'gone' });
    expect(left.body.content).toEqual({ id: own, kind_id: 'blind' });
  });

  it('obeys the rights of fields and paths, before anything is written', async () => {
    const count = async () => ((await ok(project.get('/city/unit?limit=0'))) as { count: number }).count;
    const before = await count();
    const refused = async (query: string, body: object = { name: 'x' }) =>
      refusalOf(await ann.post(`/city/unit?${query}`, body));
    expect(await refused('include=secret')).toEqual({ status: 400, messages: ['parameter.unknown include'] });
    expect(await refused('include=nothing')).toEqual({ status: 400, messages: ['parameter.unknown include'] });
    expect(await refused('include=name&exclude=name')).toEqual({ status: 400, messages: ['query.unknown exclude'] });
    expect(await refused('include=name&limit=1')).toEqual({ status: 400, messages: ['query.unknown limit'] });
    expect(await refused('include=')).toEqual({ status: 400, messages: ['query.bad_value include'] });
    expect(await refused('include=name&include=links')).toMatchObject({ status: 400 });
    const missing = '00000000-0000-7000-8000-000000000000';
    expect((await ann.put(`/city/unit/${missing}?include=nothing`, {})).status).toBe(404);
    expect(await count()).toBe(before);
  });

  it('is not for definitions and remote kinds', async () => {
    for (const path of ['/kind/unit?include=id', '/far/unit?include=name']) {
      expect([400, 503]).toContain((await project.post(path, { id: 'thing' })).status);
    }
    expect((await project.put('/kind/unit/city?include=id', {})).status).toBe(400);
    expect((await project.post('/api_key/unit?include=secret', { label: 'a' })).status).toBe(400);
    expect((await project.delete('/city/unit/1?include=name')).status).toBe(404);
  });

  it('works in batches and dry runs, and is repeated with a key', async () => {
    const batch = await ok(
      project.post('/batch', {
        operations: [
          { method: 'POST', path: '/city/unit?include=id,name', body: { name: 'A' }, as: 'a' },
          { method: 'PUT', path: '/city/unit/{a.id}?include=name,country.name', body: { country: 'IT' } },
        ],
      }),
    );
    expect((batch as { items: { content: object }[] }).items.map(({ content }) => content)).toMatchObject([
      { name: 'A' },
      { name: 'A', 'country.name': 'Italy' },
    ]);
    const dry = await project.post('/city/unit?include=country.name&dry_run=true', { name: 'never', country: 'FR' });
    expect(dry.body.content).toEqual({ 'country.name': 'France' });
    const headers = { 'idempotency-key': 'include-1' };
    const create = (by: TestProject) =>
      by.post('/city/unit?include=name,country.name', { name: 'K', country: 'IT' }, { headers });
    for (const caller of [project, ann]) {
      expect((await create(caller)).body.content).toEqual({ name: 'K', 'country.name': 'Italy' });
      const again = await create(caller);
      // What it showed of which unit is not known, so that it is not shown to those whom rules may hide something from.
      expect(again.status).toBe(caller === project ? 200 : 403);
      if (caller === project) expect(again.body.content).toEqual({ name: 'K', 'country.name': 'Italy' });
    }
    const { items } = (await ok(project.get('/city/unit?filter=eq(name,K)'))) as { items: object[] };
    expect(items).toHaveLength(2);
  });
});
