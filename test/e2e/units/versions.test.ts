/** Entity tags and what depends on them: 304, 412, edits at the same time, edits of a part. */
import { describe, expect, it } from 'vitest';
import { defineKinds } from '../../support/callers.js';
import { createdId } from '../../support/definitions.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const project = await service.project();
await defineKinds(
  project,
  {
    id: 'note',
    label: 'Note',
    parameters: [
      { id: 'name', kind_id: 'string' },
      { id: 'size', kind_id: 'integer' },
    ],
  },
  { id: 'land', label: 'Land', parameters: [{ id: 'code', kind_id: 'string', is_primary: true }, 'name'] },
);
const make = async (body: object = { name: 'a' }) => {
  const reply = await project.post('/note/unit', body);
  return { path: `/note/unit/${reply.body.content.id as string}`, etag: reply.headers.get('etag') ?? '' };
};
const etagOf = async (path: string) => (await project.get(path)).headers.get('etag') ?? '';

describe('an entity tag', () => {
  it('comes with a create, a get and an edit, is strong, and is the same until the unit changes', async () => {
    const { path, etag } = await make();
    expect(etag).toMatch(/^"[^"]+"$/);
    expect(await etagOf(path)).toBe(etag);
    expect(await etagOf(`${path}?include=name`)).toBe(etag);
    const edited = await project.put(path, { name: 'b' });
    expect(edited.headers.get('etag')).not.toBe(etag);
    expect(await etagOf(path)).toBe(edited.headers.get('etag'));
  });

  it.each([
    ['/kind/unit/note', { label: 'N' }],
    ['/string/unit/name', { label: 'N' }],
    ['/group/unit/parameter', { label: 'N' }],
    ['/link/unit/link', { label: 'N' }],
  ])('comes with definitions: %s', async (path, body) => {
    const etag = await etagOf(path);
    expect(etag).toMatch(/^"[^"]+"$/);
    const edited = await project.put(path, body, { headers: { 'if-match': etag } });
    expect(edited.status, edited.text).toBe(200);
    expect(edited.headers.get('etag')).toBe(await etagOf(path));
    expect((await project.put(path, body, { headers: { 'if-match': etag } })).status).toBe(412);
  });

  it('changes with every edit, however fast', async () => {
    const { path } = await make();
    const tags = new Set<string | null>();
    for (let at = 0; at < 20; at += 1) tags.add((await project.put(path, { size: at })).headers.get('etag'));
    expect(tags.size).toBe(20);
  });

  it('is in no list and in no refusal', async () => {
    expect((await project.get('/note/unit')).headers.get('etag')).toBeNull();
    expect((await project.get('/note/unit/nonsense')).headers.get('etag')).toBeNull();
  });
});

describe('If-None-Match', () => {
  it.each<[string, (etag: string) => string, number]>([
    ['the tag', (etag) => etag, 304],
    ['the weak tag', (etag) => `W/${etag}`, 304],
    ['a list with it', (etag) => `"x", ${etag}, "y"`, 304],
    ['a list with it, weak and tight', (etag) => `"x",W/${etag}`, 304],
    ['any', () => '*', 304],
    ['any with space', () => ' * ', 304],
    ['another', () => '"x"', 200],
    ['the tag without quotes', (etag) => etag.replaceAll('"', ''), 200],
    ['nothing', () => '', 200],
    ['a list of others', () => '"x", W/"y"', 200],
    ['garbage', () => 'W/, "', 200],
  ])('of %s', async (_, header, status) => {
    const { path, etag } = await make();
    const reply = await project.get(path, { headers: { 'if-none-match': header(etag) } });
    expect(reply.status).toBe(status);
    expect(reply.headers.get('etag')).toBe(etag);
    expect(reply.headers.get('vary')?.toLowerCase()).toContain('kind-project-key');
    if (status === 304) expect(reply.text).toBe('');
  });

  it('of a tag from before an edit gets a new answer', async () => {
    const { path, etag } = await make();
    await project.put(path, { name: 'b' });
    expect(await project.get(path, { headers: { 'if-none-match': etag } })).toMatchObject({
      status: 200,
      body: { content: { name: 'b' } },
    });
  });

  it('of a tag from before a change of the definition gets a new answer', async () => {
    await defineKinds(project, { id: 'growing', label: 'Growing' });
    const made = await project.post('/growing/unit', {});
    const path = `/growing/unit/${made.body.content.id as string}`;
    const etag = await etagOf(path);
    await project.put('/kind/unit/growing', { parameters: ['size'] });
    expect(await project.get(path, { headers: { 'if-none-match': etag } })).toMatchObject({
      status: 200,
      body: { content: { size: null } },
    });
    expect((await project.put(path, { size: 1 }, { headers: { 'if-match': etag } })).status).toBe(200);
  });

  it('of an answer with several units gets a new answer if one of them changed', async () => {
    await defineKinds(project, { id: 'nation', parameters: ['name'] });
    const where = { id: 'nation_id', kind_id: 'unit', reference_kind: 'nation' };
    await defineKinds(project, { id: 'town', parameters: ['name', where] });
    const nation = await createdId(project.post('/nation/unit', { name: 'a' }));
    const town = await createdId(project.post('/town/unit', { name: 'x', nation_id: nation }));
    const path = `/town/unit/${town}?include=name,nation_id.name`;
    const etag = await etagOf(path);
    expect(await etagOf(path)).toBe(etag);
    expect((await project.get(path, { headers: { 'if-none-match': etag } })).status).toBe(304);
    await project.put(`/nation/unit/${nation}`, { name: 'b' });
    expect(await project.get(path, { headers: { 'if-none-match': etag } })).toMatchObject({
      status: 200,
      body: { content: { 'nation_id.name': 'b' } },
    });
    expect((await project.put(`/town/unit/${town}`, { name: 'y' }, { headers: { 'if-match': etag } })).status).toBe(
      200,
    );
  });

  it('does not hide that a unit is deleted', async () => {
    const { path, etag } = await make();
    await project.delete(path);
    for (const header of [etag, '*'])
      expect((await project.get(path, { headers: { 'if-none-match': header } })).status).toBe(404);
  });
});

describe('If-Match', () => {
  const rows: [string, (etag: string) => string, number][] = [
    ['the tag', (etag) => etag, 200],
    ['a list with it', (etag) => `"x", ${etag}`, 200],
    ['any', () => '*', 200],
    ['another', () => '"x"', 412],
    ['another of the same form', () => '"1-1"', 412],
    // RFC 9110, section 13.1.1: the comparison is a strong one.
    ['the weak tag', (etag) => `W/${etag}`, 412],
    ['nothing', () => '', 412],
    ['the tag without quotes', (etag) => etag.replaceAll('"', ''), 412],
    ['a huge number', () => `"${'z'.repeat(2000)}-1"`, 412],
  ];
  it.each(rows)('of %s, on an edit', async (_, header, status) => {
    const { path, etag } = await make();
    const reply = await project.put(path, { name: 'b' }, { headers: { 'if-match': header(etag) } });
    expect(reply.status).toBe(status);
    if (status === 412) expect(reply.body.messages).toMatchObject([{ code: 'unit.changed' }]);
    expect((await project.get(path)).body.content.name).toBe(status === 200 ? 'b' : 'a');
  });

  it.each(rows)('of %s, on a delete', async (_, header, status) => {
    const { path, etag } = await make();
    expect((await project.delete(path, { headers: { 'if-match': header(etag) } })).status).toBe(status);
    expect((await project.get(path)).status).toBe(status === 200 ? 404 : 200);
  });

  it('of a missing unit is 404', async () => {
    const { path, etag } = await make();
    await project.delete(path);
    for (const header of [etag, '*', '"x"']) {
      expect((await project.put(path, {}, { headers: { 'if-match': header } })).status).toBe(404);
      expect((await project.delete(path, { headers: { 'if-match': header } })).status).toBe(404);
    }
  });

  it('takes no additional statements', async () => {
    const { path, etag } = await make();
    expect(await project.statements(() => project.put(path, {}, { headers: { 'if-match': etag } }))).toBe(1);
  });

  it('lets exactly one of many concurrent edits win', async () => {
    const { path, etag } = await make({ size: 0 });
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, at) => project.put(path, { size: at + 1 }, { headers: { 'if-match': etag } })),
    );
    const won = replies.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 412)).toHaveLength(19);
    expect((await project.get(path)).body.content).toEqual(won[0]?.body.content);
  });

  it('lets exactly one of a concurrent edit and delete win', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { path, etag } = await make();
      const headers = { 'if-match': etag };
      const [edited, deleted] = await Promise.all([
        project.put(path, { name: 'b' }, { headers }),
        project.delete(path, { headers }),
      ]);
      expect([
        [200, 412],
        [404, 200],
        [412, 200],
      ]).toContainEqual([edited.status, deleted.status]);
    }
  });

  it('lets many clients increment a counter without losing one', async () => {
    const { path } = await make({ size: 0 });
    const increment = async (): Promise<void> => {
      for (;;) {
        const read = await project.get(path);
        const written = await project.put(
          path,
          { size: (read.body.content.size as number) + 1 },
          { headers: { 'if-match': read.headers.get('etag') ?? '' } },
        );
        if (written.status === 200) return;
        expect(written.status).toBe(412);
      }
    };
    await Promise.all(Array.from({ length: 8 }, increment));
    expect((await project.get(path)).body.content.size).toBe(8);
  });
});

describe('an edit', () => {
  it('of a part leaves the rest', async () => {
    const { path } = await make({ name: 'a', size: 1, metadata: { x: 1 } });
    const before = (await project.get(path)).body.content as Record<string, unknown>;
    const edited = (await project.put(path, { size: 2 })).body.content as Record<string, unknown>;
    expect({ ...edited, size: 1, updated_at: before['updated_at'] }).toEqual(before);
    expect(String(edited['updated_at']) > String(before['updated_at'])).toBe(true);
    expect(Object.keys(edited)).toEqual(Object.keys(before));
  });

  it('of parts at the same time loses neither', async () => {
    const { path } = await make({ name: 'a', size: 1 });
    await Promise.all([project.put(path, { name: 'b' }), project.put(path, { size: 2 })]);
    expect((await project.get(path)).body.content).toMatchObject({ name: 'b', size: 2 });
  });

  it('of nothing answers the unit', async () => {
    const { path } = await make();
    expect(await project.put(path, {})).toMatchObject({ status: 200, body: { content: { name: 'a' } } });
  });

  it('that is rejected changes nothing, not even the time', async () => {
    const { path } = await make();
    const before = await project.get(path);
    expect((await project.put(path, { name: 'b', size: 'x' })).status).toBe(400);
    expect((await project.get(path)).text).toBe(before.text);
  });

  it('has times in UTC with six decimals', async () => {
    const { path } = await make();
    const { inserted_at, updated_at } = (await project.put(path, {})).body.content as Record<string, string>;
    for (const time of [inserted_at, updated_at]) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    expect(Math.abs(Date.parse(inserted_at ?? '') - Date.now())).toBeLessThan(60_000);
  });
});

describe('a delete', () => {
  it('answers null, and the second time 404', async () => {
    const { path } = await make();
    expect((await project.delete(path)).body).toEqual({ content: null, messages: [] });
    expect((await project.delete(path)).status).toBe(404);
  });

  it('by many at the same time succeeds once', async () => {
    const { path } = await make();
    const replies = await Promise.all(Array.from({ length: 10 }, () => project.delete(path)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 9 }, () => 404)]);
  });

  it('of a natural key allows a new unit with that key, with another version', async () => {
    const first = await project.post('/land/unit', { code: 'it', name: 'Italy' });
    await project.delete('/land/unit/it');
    const again = await project.post('/land/unit', { code: 'it' });
    expect(again.body.content).toMatchObject({ id: 'it', name: null });
    expect(again.headers.get('etag')).not.toBe(first.headers.get('etag'));
  });
});
