/** `accepted` of a kind: what strangers are meant to do, until the access of that operation changes. */
import { describe, expect, it } from 'vitest';
import { Provisioning } from '../../../src/catalog/project/provisioning.js';
import { asMember, defineKinds } from '../../support/callers.js';
import { ok, refusalOf } from '../../support/definitions.js';
import { sharedService, type TestProject } from '../../support/service.js';

const service = await sharedService();
const project = await service.project();
const member = await asMember(project);
const FORM = { create: 'a contact form' };
await defineKinds(project, {
  id: 'message',
  parameters: [{ id: 'body', kind_id: 'text' }],
  access: { create: 'anyone', read: 'admin', update: 'anyone' },
  accepted: { ...FORM, update: 'until it is read' },
});
const documented = await project.documented();

const acceptedOf = async (of: TestProject, kind = 'message') =>
  ((await ok(of.get(`/kind/unit/${kind}`))) as { accepted: unknown }).accepted;
const put = async (body: object, kind = 'message') => (await ok(documented.put(`/kind/unit/${kind}`, body))) as object;

interface Report {
  readonly access: { readonly kind?: string; readonly operation: string; readonly accepted: string | null }[];
}

describe('what is accepted', () => {
  it('is in the report, and told to administrators alone', async () => {
    const { access } = (await ok(documented.get('/kind/access'))) as Report;
    const of = (operation: string) => access.find((each) => each.kind === 'message' && each.operation === operation);
    expect(of('create')).toMatchObject({ accepted: 'a contact form', stranger_writes: true });
    expect(of('delete')).toMatchObject({ accepted: null });
    expect(await acceptedOf(project)).toEqual({ ...FORM, update: 'until it is read' });
    expect(await acceptedOf(member)).toBeNull();
  });

  it('stays while access does, and goes by operation', async () => {
    await put({ label: 'Messages', access: { create: 'anyone', read: 'admin', update: 'anyone', delete: 'nobody' } });
    expect(await acceptedOf(project)).toEqual({ ...FORM, update: 'until it is read' });
    // Who may not read cannot edit: so this opens the edit.
    expect(
      await put({ access: { create: 'anyone', read: 'anyone', update: 'anyone', delete: 'nobody' } }),
    ).toMatchObject({ accepted: FORM });
    expect(await acceptedOf(project)).toEqual(FORM);
    // The reason that comes unchanged with other access is not given anew.
    expect(await put({ access: { create: 'member' }, accepted: FORM })).toMatchObject({ accepted: {} });
    expect(await acceptedOf(project)).toEqual({});
    await put({ accepted: FORM });
    const another = { create: 'another form' };
    expect(await put({ access: { create: 'anyone' }, accepted: another })).toMatchObject({ accepted: another });
    expect(await acceptedOf(project)).toEqual({ create: 'another form' });
    expect(await put({ access: { create: 'admin' }, accepted: null })).toMatchObject({ accepted: null });
    expect(await acceptedOf(project)).toBeNull();
  });

  it('goes where defaults change, of the kind and of the project', async () => {
    await defineKinds(project, { id: 'page', accepted: { create: 'a wiki' } });
    expect(await put({ public: true }, 'page')).toMatchObject({ accepted: {} });
    expect(await acceptedOf(project, 'page')).toEqual({});
    await put({ accepted: { create: 'a wiki', update: 'a wiki' }, access: { update: 'anyone' } }, 'page');
    await service.service.app.get(Provisioning).set(project.id, { accessDefault: 'closed' });
    expect(await acceptedOf(project, 'page')).toEqual({ update: 'a wiki' });
  });

  it('of a change that is undone stays', async () => {
    await put({ accepted: { read: 'all may' } }, 'page');
    await ok(project.put('/kind/unit/page?dry_run=true', { access: { read: 'admin' } }));
    expect(await acceptedOf(project, 'page')).toEqual({ read: 'all may' });
  });

  it.each([
    [{ accepted: 'all' }],
    [{ accepted: ['create'] }],
    [{ accepted: { creates: 'a form' } }],
    [{ accepted: { create: '' } }],
    [{ accepted: { create: ' ' } }],
    [{ accepted: { create: null } }],
    [{ accepted: { create: 'x'.repeat(501) } }],
    [{ accepted: { constructor: 'a form' } }],
  ])('%j is refused', async (body) => {
    const refused = { status: 400, messages: ['parameter.bad_value accepted'] };
    expect(refusalOf(await project.put('/kind/unit/page', body))).toEqual(refused);
  });
});
