/** What references to files take, and files that go with their units. */
import { describe, expect, it, vi } from 'vitest';
import { OwnedFilesBehavior } from '../../../src/file/owned-files.behavior.js';
import { createdId, ok, query, refusalOf } from '../../support/definitions.js';
import { sharedService } from '../../support/service.js';
import { sideConnection } from '../../support/side-connection.js';

const service = await sharedService();
const side = await sideConnection();
const project = await service.project();
const PLAIN = { headers: { 'content-type': 'text/plain' } };
const text = (name: string, content = 'a') => ({ name, content: Buffer.from(content).toString('base64') });
const upload = (name: string, content?: string) => createdId(project.post('/file/unit', text(name, content)));
const isThere = async (id: string): Promise<boolean> => (await project.get(`/file/unit/${id}`)).status === 200;

await ok(
  project.post('/kind/unit', {
    id: 'article',
    parameters: [
      { id: 'title', kind_id: 'string' },
      { id: 'page', kind_id: 'unit', reference_kind: 'file', accept: ['image/*', 'text/plain'], max_bytes: 4 },
      { id: 'draft', kind_id: 'unit', reference_kind: 'file', owned: true },
    ],
  }),
);
await ok(
  project.post('/kind/unit', {
    id: 'note',
    parameters: [
      { id: 'attachment', kind_id: 'unit', reference_kind: 'file' },
      { id: 'of', kind_id: 'unit', reference_kind: 'article', on_delete: 'cascade' },
    ],
  }),
);
const article = (body: object) => createdId(project.post('/article/unit', body));

describe('a reference to files', () => {
  it('is described with what it takes', async () => {
    const { items } = await ok(project.get('/article/struct?filter=eq(id,page)'));
    const [page] = items;
    expect(page).toMatchObject({ accept: ['image/*', 'text/plain'], max_bytes: 4, reference_kind: 'file' });
    expect(await ok(project.get('/unit/unit/draft'))).toMatchObject({ accept: null, max_bytes: null, owned: true });
  });

  it.each([
    [{ accept: ['image'] }, 'accept'],
    [{ accept: [] }, 'accept'],
    [{ accept: 'image/*' }, 'accept'],
    [{ accept: ['image/PNG'] }, 'accept'],
    [{ reference_kind: 'article', accept: ['image/*'] }, 'accept'],
    [{ reference_kind: 'article', max_bytes: 1 }, 'max_bytes'],
    [{ reference_kind: 'article', owned: true }, 'owned'],
  ])('is no %j', async (settings, parameter) => {
    const reply = await project.post('/unit/unit', { id: 'bad', reference_kind: 'file', ...settings });
    expect(refusalOf(reply)).toEqual({ status: 400, messages: [`parameter.bad_definition ${parameter}`] });
  });

  it('takes the types and sizes that it names, however it is written', async () => {
    const [good, json, long] = [await upload('a.txt'), await upload('a.csv'), await upload('b.txt', 'abcde')];
    const id = await article({ page: good });
    const csv = { status: 400, messages: ['file.type_not_allowed page'] };
    const large = { status: 400, messages: ['parameter.too_large page'] };
    const refused = await project.post('/article/unit', { page: json });
    expect(refusalOf(refused)).toEqual(csv);
    expect(refused.body.messages[0]?.text).toBe('page: takes image/*, text/plain, and the file is text/csv');
    expect(refusalOf(await project.post('/article/unit', { page: long }))).toEqual(large);
    expect(refusalOf(await project.put(`/article/unit/${id}`, { page: json }))).toEqual(csv);
    expect(refusalOf(await project.put(`/article/unit?filter=eq(page,${good})`, { page: long }))).toEqual(large);
    const many = await project.post('/article/unit', [{ page: good }, { page: json }, { page: long }]);
    expect(refusalOf(many).messages).toEqual(['file.type_not_allowed page', 'parameter.too_large page']);
    const nested = await project.post('/article/unit', { page: text('c.csv') });
    expect(refusalOf(nested)).toEqual(csv);
    expect(refusalOf(await project.post('/note/unit', { of: { page: text('c.csv') } })).messages).toEqual([
      'file.type_not_allowed of.page',
    ]);
    expect(await query(project, `SELECT id FROM $schema.file WHERE name = 'c.csv'`)).toEqual([]);
    const line = await project.post('/article/import', `page\n${json}\n`, { headers: { 'content-type': 'text/csv' } });
    expect(JSON.stringify(line.body)).toContain('file.type_not_allowed');
  });

  it('keeps a file from a content that it does not take', async () => {
    const id = await upload('a.txt');
    const unit = await article({ page: id });
    const put = (content: string) => project.put(`/file/unit/${id}/content`, content, PLAIN);
    const refused = await put('abcde');
    expect(refusalOf(refused)).toEqual({ status: 400, messages: ['parameter.too_large content'] });
    expect(refused.body.messages[0]?.text).toMatch(
      /^content: 'page' of a unit of 'article' refers to this file and takes/,
    );
    await ok(put('abc'));
    await ok(project.put(`/article/unit/${unit}`, { page: null }));
    await ok(put('abcde'));
  });

  it('is judged with a content that is replaced at the same time', async () => {
    const [replaced, referred] = [await upload('a.txt'), await upload('b.txt')];
    const id = await article({});
    const replacement = `UPDATE file SET media_type = 'text/csv' WHERE id = '${replaced}'`;
    const replace = await side.holding(project, replacement);
    const referring = project.put(`/article/unit/${id}`, { page: replaced });
    await side.blocked();
    await replace();
    expect(refusalOf(await referring)).toEqual({ status: 400, messages: ['file.type_not_allowed page'] });
    const refer = await side.holding(
      project,
      `SELECT FROM file WHERE id = '${referred}' FOR SHARE`,
      `UPDATE article SET page = '${referred}' WHERE id = '${id}'`,
    );
    const replacing = project.put(`/file/unit/${referred}/content`, 'abcde', PLAIN);
    await side.blocked();
    await refer();
    expect(refusalOf(await replacing)).toEqual({ status: 400, messages: ['parameter.too_large content'] });
  });

  it('keeps what it has when it takes less than before', async () => {
    const id = await upload('a.csv');
    await ok(project.post('/unit/unit', { id: 'sheet', reference_kind: 'file' }));
    await ok(project.post('/kind/unit', { id: 'report', parameters: ['sheet', 'title'] }));
    const unit = await createdId(project.post('/report/unit', { sheet: id }));
    await ok(project.put('/unit/unit/sheet', { accept: ['text/plain'] }));
    await ok(project.put(`/report/unit/${unit}`, { sheet: id, title: 'a' }));
    expect(refusalOf(await project.post('/report/unit', { sheet: id })).status).toBe(400);
  });
});

describe('an owned file', () => {
  it('goes with its unit, and when another takes its place', async () => {
    const [first, second] = [await upload('a.txt'), await upload('b.txt')];
    const id = await article({ draft: first });
    await ok(project.put(`/article/unit/${id}`, { title: 'b' }));
    await ok(project.put(`/article/unit/${id}`, { draft: first }));
    expect(await isThere(first)).toBe(true);
    await ok(project.put(`/article/unit/${id}`, { draft: second }));
    expect([await isThere(first), await isThere(second)]).toEqual([false, true]);
    await ok(project.delete(`/article/unit/${id}`));
    expect(await isThere(second)).toBe(false);
  });

  it('stays where something else refers to it, or it is linked', async () => {
    const [shared, linked] = [await upload('a.txt'), await upload('b.txt')];
    const [id, other] = [await article({ draft: shared }), await article({ draft: linked })];
    const note = await createdId(project.post('/note/unit', { attachment: shared }));
    await ok(project.post('/link/unit', { id: 'shows' }));
    await ok(project.post(`/note/unit/${note}/link/shows/file/unit/${linked}`, {}));
    await ok(project.delete(`/article/unit/${id}`));
    await ok(project.put(`/article/unit/${other}`, { draft: null }));
    expect([await isThere(shared), await isThere(linked)]).toEqual([true, true]);
  });

  it('stays with a link that is made after the snapshot of the edit that leaves it', async () => {
    const file = await upload('a.txt');
    const [id, note] = [await article({ draft: file }), await createdId(project.post('/note/unit', {}))];
    const behavior = service.service.app.get(OwnedFilesBehavior);
    const afterWrite = behavior.afterWrite.bind(behavior);
    vi.spyOn(behavior, 'afterWrite').mockImplementationOnce(async (...written) => {
      await ok(project.post(`/note/unit/${note}/link/shows/file/unit/${file}`, {}));
      return afterWrite(...written);
    });
    await ok(project.put(`/article/unit/${id}`, { draft: null }));
    expect(await isThere(file)).toBe(true);
    const links = `SELECT child_id FROM $schema."_link" WHERE parent_id = '${note}'`;
    expect(await query(project, links)).toEqual([{ child_id: file }]);
  });

  it('goes where its unit had the only link, or that goes in the same transaction', async () => {
    const [own, other] = [await upload('a.txt'), await upload('b.txt')];
    const [id, second] = [await article({ draft: own }), await article({ draft: other })];
    const note = await createdId(project.post('/note/unit', {}));
    await ok(project.post(`/article/unit/${id}/link/shows/file/unit/${own}`, {}));
    await ok(project.delete(`/article/unit/${id}`));
    const path = `/note/unit/${note}/link/shows/file/unit/${other}`;
    await ok(project.post(path, {}));
    const operations = [
      { method: 'DELETE', path },
      { method: 'PUT', path: `/article/unit/${second}`, body: { draft: null } },
    ];
    await ok(project.post('/batch', { operations }));
    expect([await isThere(own), await isThere(other)]).toEqual([false, false]);
  });

  it('goes with several units, by cascade and by filter', async () => {
    const files = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => upload(`${name}.txt`)));
    const units = await Promise.all(files.map((draft) => article({ draft, title: 'many' })));
    await ok(project.put(`/article/unit?filter=eq(id,${units[1] ?? ''})`, { draft: null }));
    expect(await isThere(files[1] ?? '')).toBe(false);
    await createdId(project.post('/note/unit', { of: units[2] }));
    await ok(project.delete('/article/unit?filter=eq(title,many)'));
    expect(await Promise.all(files.map(isThere))).toEqual([false, false, false, false, false]);
    expect(await query(project, 'SELECT id FROM $schema.article')).not.toContainEqual({ id: units[2] });
  });

  it('is one that its writer may delete', async () => {
    const theirs = await upload('a.txt');
    await ok(project.put('/kind/unit/file', { access: { read: 'anyone', create: 'member', delete: 'admin' } }));
    await ok(project.put('/kind/unit/article', { access: { create: 'anyone', update: 'anyone' } }));
    const stranger = project.as(undefined);
    const reply = await stranger.post('/article/unit', { draft: theirs });
    expect(refusalOf(reply)).toEqual({ status: 400, messages: ['parameter.bad_reference draft'] });
    await ok(stranger.post('/article/unit', { title: 'none' }));
  });
});
