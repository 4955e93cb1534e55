/** A closed project: operations that a kind's `access` does not name are for administrators only. */
import { describe, expect, it } from 'vitest';
import { Provisioning } from '../../../src/catalog/project/provisioning.js';
import type { AccessDefault } from '../../../src/model/access-levels.js';
import { anonymous, defineKinds, tokensOf } from '../../support/callers.js';
import { ok } from '../../support/definitions.js';
import { FunctionsFolder, sharedServiceWith } from '../../support/functions.js';
import type { TestProject } from '../../support/service.js';

const MODULE = `
import { kind } from 'kind';
const note = kind('note');
export default note.module({
  functions: {
    plain: note.function({ description: 'Without access', run: () => 1 }),
    named: note.function({ description: 'With access', access: 'member', run: () => 2 }),
  },
});`;

const functions = new FunctionsFolder({ 'note.ts': MODULE });
const service = await sharedServiceWith(functions);
const root = await service.project();

function set(accessDefault: AccessDefault) {
  return service.service.app.get(Provisioning).set(root.id, { accessDefault });
}

const body = { id: 'body', kind_id: 'string' };
await defineKinds(
  root,
  { id: 'person' },
  { id: 'note', parameters: [body] },
  { id: 'page', public: true, parameters: ['body'] },
  { id: 'card', parameters: ['body'], access: { read: 'member', create: 'member', link: 'member' } },
);
await ok(root.post('/group/unit/kind_auth_member/link/group/kind/unit/person'));
await ok(root.post('/link/unit', { id: 'joins', access: { create: 'member', delete: 'member' } }));
const member = await ok(root.post('/person/unit', { username: 'ann', email: 'ann@example.com' }));
const memberId = member.id as string;
const ann = root.as((await tokensOf(root, 'person', memberId)).access_token);
const nobody = anonymous(root);
const ids = new Map<string, string>();
for (const kind of ['note', 'page', 'card']) {
  ids.set(kind, (await ok(root.post(`/${kind}/unit`, { body: 'text' }))).id as string);
}
const at = (kind: string) => `/${kind}/unit/${ids.get(kind) ?? ''}`;

async function statuses(caller: TestProject, kind: string) {
  const status = async (reply: ReturnType<TestProject['get']>) => (await reply).status;
  const link = `${at(kind)}/link/link/page/unit/${ids.get('page') ?? ''}`;
  return {
    read: await status(caller.get(at(kind))),
    create: await status(caller.post(`/${kind}/unit`, { body: 'new' })),
    update: await status(caller.put(at(kind), { body: 'changed' })),
    link: await status(caller.post(link)),
    unlink: await status(caller.delete(link)),
  };
}

const SIGN_UP = { username: 'bob', password: 'secret of bob', email: 'bob@example.com' };

function signUp() {
  return nobody.post('/auth/person/signup', { ...SIGN_UP, kind_system_user: SIGN_UP });
}

describe('a closed project', async () => {
  const open = [await statuses(ann, 'note'), await statuses(nobody, 'page')];
  await set('closed');

  it('was open before', () => {
    const all = { read: 200, create: 200, update: 200, link: 200, unlink: 200 };
    expect(open).toEqual([all, all]);
  });

  it('leaves operations that a kind does not name to administrators', async () => {
    expect(await statuses(ann, 'note')).toEqual({ read: 403, create: 403, update: 403, link: 403, unlink: 403 });
    expect(await statuses(nobody, 'note')).toEqual({ read: 401, create: 401, update: 401, link: 401, unlink: 401 });
    expect(await statuses(root, 'note')).toEqual({ read: 200, create: 200, update: 200, link: 200, unlink: 200 });
  });

  it('lets anyone read a public kind, and no more', async () => {
    expect(await statuses(ann, 'page')).toEqual({ read: 200, create: 403, update: 403, link: 403, unlink: 403 });
    expect(await statuses(nobody, 'page')).toEqual({ read: 200, create: 401, update: 401, link: 401, unlink: 401 });
  });

  it('keeps what a kind names', async () => {
    expect(await statuses(ann, 'card')).toEqual({ read: 200, create: 200, update: 403, link: 200, unlink: 200 });
  });

  it('closes links of types without access; a type with access decides itself', async () => {
    const link = (type: string) => ann.post(`${at('page')}/link/${type}/card/unit/${ids.get('card') ?? ''}`);
    expect((await link('link')).status).toBe(403);
    expect((await link('joins')).status).toBe(200);
  });

  it('closes functions without access; one with access decides itself', async () => {
    expect((await ann.post('/note/function/plain')).status).toBe(403);
    expect((await root.post('/note/function/plain')).body.content).toBe(1);
    expect((await ann.post('/note/function/named')).body.content).toBe(2);
  });

  it('closes sign-up, unless a kind opens it', async () => {
    expect((await signUp()).status).toBe(403);
    await ok(root.put('/kind/unit/person', { access: { signup: 'anyone' } }));
    expect((await signUp()).status).toBe(200);
    await ok(root.put('/kind/unit/person', { access: null }));
  });

  it('lets members do with themselves what they may in an open one', async () => {
    const own = `/person/unit/${memberId}`;
    expect((await ann.get(own)).status).toBe(200);
    expect((await ann.put(own, { first_name: 'Ann' })).status).toBe(200);
    expect((await ann.get('/auth/me')).status).toBe(200);
  });

  it('keeps the defaults of built-in kinds', async () => {
    expect((await ann.get('/kind/unit')).status).toBe(200);
    expect((await ann.post('/kind/unit', { id: 'other' })).status).toBe(403);
  });

  it('shows its defaults in explanations, structs and the API document', async () => {
    const told = await root.get(`${at('note')}/access?member=${memberId}`);
    expect(told.body.content.operations).toMatchObject({
      read: {
        allowed: false,
        level: 'admin',
        stored: false,
        because: "the default level 'admin' keeps out this member",
      },
      create: { allowed: false, level: 'admin' },
      link: { allowed: false, level: 'admin' },
      function: { allowed: false, level: 'admin' },
    });
    expect((await ann.get('/note/struct')).status).toBe(403);
    expect((await nobody.get('/page/struct')).status).toBe(200);
    const document = (await ann.get('/doc/openapi.json')).body as unknown as { paths: Record<string, object> };
    expect(Object.keys(document.paths)).not.toContain('/api/lib/note/unit');
    expect(Object.keys(document.paths['/api/lib/page/unit'] ?? {})).toEqual(['get']);
  });

  it('can be opened again', async () => {
    await set('open');
    expect((await ann.get(at('note'))).status).toBe(200);
    expect((await nobody.post('/page/unit', { body: 'again' })).status).toBe(200);
  });
});
