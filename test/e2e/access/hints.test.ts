/** Hints ("did you mean …?") name only what the caller may read. */
import { describe, expect, it } from 'vitest';
import { asMember, defineKinds } from '../../support/callers.js';
import { createdId, ok } from '../../support/definitions.js';
import { sharedService, type TestProject } from '../../support/service.js';

const service = await sharedService();
const admin = await service.project();
const member = await asMember(admin);
await defineKinds(admin, { id: 'harbour' });
await ok(admin.post('/link/unit', { id: 'sails_to' }));

/** What a name that is nearly right is answered: of a kind, of a link type to make a link of, and to follow. */
async function hints(caller: TestProject): Promise<string[]> {
  const id = await createdId(admin.post('/harbour/unit', {}));
  const answers = [
    await caller.get('/harbor/unit'),
    await caller.post(`/harbour/unit/${id}/link/sails_t/harbour/unit/${id}`),
    await caller.get(`/harbour/unit/${id}/link/child?link_id=sails_t`),
  ];
  return answers.map(({ body }) => /did you mean '(\w+)'/.exec(body.messages[0]?.text ?? '')?.[1] ?? 'nothing');
}

describe('a hint', () => {
  it('is given only to callers who may read the definitions', async () => {
    expect(await hints(member)).toEqual(['harbour', 'sails_to', 'sails_to']);
  });

  it.each([
    ['a level', 'admin'],
    ['a rule', 'eq(id,other)'],
  ])('is given to nobody else: by %s', async (_, read) => {
    for (const kind of ['kind', 'link']) await ok(admin.put(`/kind/unit/${kind}`, { access: { read } }));
    expect(await hints(member)).toEqual(['nothing', 'nothing', 'nothing']);
    expect(await hints(admin)).toEqual(['harbour', 'sails_to', 'sails_to']);
  });
});
