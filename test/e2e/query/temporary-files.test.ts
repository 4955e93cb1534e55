/** Statements that would write large temporary files in PostgreSQL are refused, and do not fill its disk. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { defineKinds } from '../../support/callers.js';
import { createdId, ok } from '../../support/definitions.js';
import { lowerLimit } from '../../support/limits.js';
import { startTestService } from '../../support/service.js';

lowerLimit('temporaryBytes', 256 * 1024);
lowerLimit('eachPairs', 100);

const service = await startTestService();
const project = await service.project();
await defineKinds(project, {
  id: 'note',
  parameters: [
    { id: 'body', kind_id: 'text' },
    ...['tags', 'marks'].map((id) => ({ id, kind_id: 'integer', multiple: true })),
  ],
});
await ok(project.post('/group/unit', { id: 'notes', label: 'Notes', kind_list: ['note'] }));
// Together more than the memory of a sort.
for (let at = 0; at < 5; at += 1) {
  const bodies = Array.from({ length: 700 }, () => ({ body: randomBytes(750).toString('hex') }));
  await ok(project.post('/note/unit', bodies));
}
await ok(project.post('/note/unit', { tags: [1, 2, 3, 3], marks: Array.from({ length: 25 }, (_, at) => at) }));

describe('a statement that needs large temporary files', () => {
  it.each([
    ['a page far behind', '/note/unit?order=body&offset=3400&limit=1'],
    ['a page of a group', '/group/notes/unit?order=body&offset=3400&limit=1'],
    ['an export', '/note/export?order=body'],
    ['groups', '/note/aggregate?group=body'],
  ])('is refused: %s', async (_, path) => {
    const { status, body } = await project.get(path);
    expect([status, body.messages[0]?.code]).toEqual([400, 'query.too_large']);
    expect(body.messages[0]?.text).toContain('temporary files');
  });

  it('leaves others as they are', async () => {
    expect(await ok(project.get('/note/unit?order=body&limit=1&include=id'))).toMatchObject({ count: 3501 });
  });
});

describe('two lists of which every pair is a group', () => {
  const refused = [400, 'query.too_large', 'group'];
  const groups = async (query: string) => {
    const { status, body } = await project.get(`/note/aggregate?filter=not(isnull(tags))&${query}`);
    const [message] = body.messages;
    return status === 200 ? body.content.count : [status, message?.code, message?.parameter];
  };

  it('are refused beyond a number of pairs of all units', async () => {
    expect(await groups('group=each(tags),each(marks)')).toBe(75);
    const other = await createdId(
      project.post('/note/unit', { tags: [1], marks: Array.from({ length: 25 }, (_, at) => at) }),
    );
    expect(await groups('group=each(tags),each(marks)')).toBe(75);
    await ok(project.put(`/note/unit/${other}`, { tags: [1, 2] }));
    expect(await groups('group=each(tags),each(marks)')).toEqual(refused);
    expect(await groups('group=each(marks),t:each(tags)&having=gt(n,1)&select=n:count()&limit=0')).toEqual(refused);
    expect(await groups('group=each(marks)')).toBe(25);
  });
});
