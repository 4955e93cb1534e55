/** Pictures are answered in the sizes of their project, which are made once and kept beside their objects. */
import sharp from 'sharp';
import { describe, expect, it, vi } from 'vitest';
import { ImageMaker } from '../../../src/file/image/image-maker.js';
import { Objects, FILE_STORE } from '../../../src/file/objects.js';
import type { FileStore } from '../../../src/file/store/file-store.js';
import { schemaName } from '../../../src/model/names.js';
import { Provisioning } from '../../../src/catalog/project/provisioning.js';
import { ProjectStore } from '../../../src/tenancy/project-store.js';
import { anonymous, signUp, withMembers } from '../../support/callers.js';
import { ok, query, refusalOf } from '../../support/definitions.js';
import { lowerLimit } from '../../support/limits.js';
import { sharedService, type TestProject } from '../../support/service.js';

const service = await sharedService();
const { url: origin, app } = service.service;
const admin = await service.project();
const store = app.get<FileStore>(FILE_STORE);

const headersOf = (of: TestProject, more: Record<string, string> = {}) => ({
  'kind-project-key': of.id,
  ...(of.token !== undefined && { authorization: `Bearer ${of.token}` }),
  ...more,
});

const picture = (red: number, alpha = false): Promise<Buffer> =>
  sharp({
    create: {
      width: 600,
      height: 300,
      channels: alpha ? 4 : 3,
      background: { r: red, g: 20, b: 20, alpha: alpha ? 0.5 : 1 },
    },
  })
    [alpha ? 'png' : 'jpeg']()
    .toBuffer();

async function uploaded(of: TestProject, name: string, body: string | Buffer, type: string): Promise<string> {
  const reply = await fetch(`${origin}/api/lib/file/unit?name=${name}`, {
    method: 'POST',
    headers: headersOf(of, { 'content-type': type }),
    body,
  });
  const { content } = (await reply.json()) as { content: { id: string } };
  expect(reply.status).toBe(200);
  return content.id;
}

const sized = (of: TestProject, id: string, search: string, more?: Record<string, string>) =>
  fetch(`${origin}/api/lib/file/unit/${id}/content${search}`, { headers: headersOf(of, more) });

async function codeOf(reply: Response): Promise<string> {
  const { messages } = (await reply.json()) as { messages: { code: string }[] };
  return `${reply.status} ${messages[0]?.code ?? ''}`;
}

async function keysOf(of: TestProject): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list(`${of.id}/`)) keys.push(key);
  return keys;
}

const COVER = { id: 'cover', kind_id: 'unit', reference_kind: 'file' };

async function codeOfQuery(of: TestProject, query: string): Promise<string> {
  const { status, body } = await of.get(`/file/unit?${query}`);
  return [status, ...body.messages.map(({ code }) => code)].join(' ');
}

describe('a size', () => {
  it('is of the measures and the format that are asked for, made once, and goes with its picture', async () => {
    const id = await uploaded(admin, 'a.jpg', await picture(200), 'image/jpeg');
    const webp = await sized(admin, id, '?size=thumb', { accept: 'image/webp,image/*' });
    expect(Object.fromEntries(webp.headers)).toMatchObject({
      'content-type': 'image/webp',
      'content-disposition': 'inline; filename=a.webp',
      vary: 'Authorization, Accept',
    });
    const made = Buffer.from(await webp.arrayBuffer());
    expect(await sharp(made).metadata()).toMatchObject({ format: 'webp', width: 200, height: 200 });
    const makes = vi.spyOn(app.get(ImageMaker), 'make');
    const [jpeg] = (await Promise.all([1, 2, 3].map(() => sized(admin, id, '?size=small')))) as [Response];
    expect(makes).toHaveBeenCalledTimes(1);
    expect(await sharp(Buffer.from(await jpeg.arrayBuffer())).metadata()).toMatchObject({ format: 'jpeg', width: 480 });
    const png = await sized(admin, id, '?size=thumb&format=png');
    expect([png.headers.get('content-type'), png.headers.get('vary')]).toEqual(['image/png', 'Authorization']);
    const etags = [webp, jpeg, png, await sized(admin, id, '')].map(({ headers }) => headers.get('etag'));
    expect(new Set(etags).size).toBe(4);
    const [etag = ''] = etags;
    const again = await sized(admin, id, '?size=thumb', { accept: 'image/webp', 'if-none-match': etag ?? '' });
    expect(again.status).toBe(304);
    const part = await sized(admin, id, '?size=thumb&format=webp', { range: 'bytes=0-3' });
    expect([part.status, await part.text()]).toEqual([206, 'RIFF']);
    expect(await keysOf(admin)).toHaveLength(4);
    const transparent = await uploaded(admin, 'b.png', await picture(90, true), 'image/png');
    expect((await sized(admin, transparent, '?size=thumb')).headers.get('content-type')).toBe('image/png');
    // Sizes are not counted.
    const [files] = await query<{ bytes: number }>(admin, 'SELECT bytes::int FROM $schema."_files"');
    const stored = await ok(admin.get('/file/unit?include=bytes'));
    expect(files?.bytes).toBe(
      (stored as { items: { bytes: number }[] }).items.reduce((sum, { bytes }) => sum + bytes, 0),
    );
    await ok(admin.delete(`/file/unit/${id}`));
    await query(admin, `UPDATE $schema."_unused_object" SET goes_at = now()`);
    await app.get(Objects).removeDue({ id: admin.id, schema: schemaName(admin.id) });
    expect(await keysOf(admin)).toHaveLength(2);
  });

  it('is one of the settings, of a picture', async () => {
    const id = await uploaded(admin, 'c.jpg', await picture(10), 'image/jpeg');
    const text = await uploaded(admin, 'c.txt', 'text', 'text/plain');
    expect(await codeOf(await sized(admin, id, '?size=tiny'))).toBe('400 query.bad_value');
    expect(await codeOf(await sized(admin, id, '?size=thumb&format=gif'))).toBe('400 query.bad_value');
    expect(await codeOf(await sized(admin, id, '?format=webp'))).toBe('400 query.bad_value');
    expect(await codeOf(await sized(admin, text, '?size=thumb'))).toBe('400 file.no_image');
    const broken = await uploaded(admin, 'd.jpg', (await picture(30)).subarray(0, 400), 'image/jpeg');
    expect(await codeOf(await sized(admin, broken, '?size=thumb'))).toBe('400 file.no_image');
  });

  it('is set by administrators, as are the other settings of files', async () => {
    const project = await service.project();
    const given = { image_sizes: 'tiny:20x20:cover', originals: 'owner', file_url_seconds: 60 };
    expect(await ok(project.put('/settings', given))).toMatchObject(given);
    await app.get(ProjectStore).reload(project.id);
    const id = await uploaded(project, 'a.jpg', await picture(72), 'image/jpeg');
    expect((await sized(project, id, '?size=tiny')).status).toBe(200);
    const wrong = { image_sizes: 'tiny', originals: 'none', file_url_seconds: 30 };
    expect(refusalOf(await project.put('/settings', wrong))).toEqual({
      status: 400,
      messages: [
        'parameter.bad_value image_sizes',
        'parameter.not_allowed originals',
        'parameter.bad_value file_url_seconds',
      ],
    });
    expect(await ok(project.put('/settings', { image_sizes: 'default' }))).toMatchObject({
      image_sizes: expect.stringMatching(/^thumb:/),
      originals: 'owner',
    });
    expect(await ok(project.get('/settings'))).toMatchObject({ originals: 'owner', file_url_seconds: 60 });
    // Other settings are the operator's.
    expect(refusalOf(await project.put('/settings', { units: 5 })).status).toBe(400);
  });

  it('is not made of a picture with too many bytes, which is not even read', async () => {
    const content = await picture(60);
    lowerLimit('imageBytes', content.length - 1);
    const id = await uploaded(admin, 'e.jpg', content, 'image/jpeg');
    const reads = vi.spyOn(store, 'get');
    expect(await codeOf(await sized(admin, id, '?size=thumb'))).toBe('400 file.image_too_large');
    expect(reads).not.toHaveBeenCalled();
    reads.mockRestore();
    expect((await sized(admin, id, '')).status).toBe(200);
  });
});

describe('originals=owner', () => {
  it('shows a picture as it was uploaded to its owner and to administrators, and ends addresses made before', async () => {
    const project = await withMembers(await service.project());
    const memberOf = async (name: string) => project.as((await signUp(project, name)).accessToken);
    const [ann, bob] = [await memberOf('ann'), await memberOf('bob')];
    await ok(project.put('/kind/unit/file', { access: { read: 'anyone' } }));
    const id = await uploaded(ann, 'a.jpg', await picture(70), 'image/jpeg');
    const text = await uploaded(ann, 'a.txt', 'text', 'text/plain');
    const addressOf = async (of: TestProject, file: string): Promise<string> =>
      `${origin}${((await ok(of.post(`/file/unit/${file}/url`, { seconds: 60 }))) as { url: string }).url}`;
    const before = await addressOf(bob, id);
    expect((await fetch(before)).status).toBe(200);
    await app.get(Provisioning).set(project.id, { settings: { originals: 'owner' } });
    await app.get(ProjectStore).reload(project.id);
    expect(await codeOf(await fetch(before))).toBe('403 file.bad_signature');
    for (const caller of [bob, anonymous(project)]) {
      expect(await codeOf(await sized(caller, id, ''))).toBe('403 file.original');
      expect((await sized(caller, id, '?size=thumb')).status).toBe(200);
      expect((await sized(caller, text, '')).status).toBe(200);
    }
    for (const caller of [ann, project]) expect((await sized(caller, id, '')).status).toBe(200);
    const plain = `${origin}/api/lib/project/${project.id}/file/${id}`;
    expect(await codeOf(await fetch(plain))).toBe('403 file.original');
    expect((await fetch(`${plain}?size=thumb`)).status).toBe(200);
    const [ofAnn, ofBob] = [await addressOf(ann, id), await addressOf(bob, id)];
    expect((await fetch(ofAnn)).status).toBe(200);
    expect(await codeOf(await fetch(ofBob))).toBe('403 file.original');
    expect((await fetch(`${ofBob}&size=thumb`)).status).toBe(200);
    expect((await fetch(await addressOf(bob, text))).status).toBe(200);
  });

  it('hides the digest of a picture from others, also where it is asked for', async () => {
    const project = await withMembers(await service.project());
    const memberOf = async (name: string) => project.as((await signUp(project, name)).accessToken);
    const [ann, bob] = [await memberOf('ann'), await memberOf('bob')];
    await ok(project.put('/kind/unit/file', { access: { read: 'anyone', update: 'anyone' } }));
    await ok(project.post('/kind/unit', { id: 'page', public: true, parameters: [COVER] }));
    const id = await uploaded(ann, 'a.jpg', await picture(71), 'image/jpeg');
    await uploaded(ann, 'b.txt', 'text', 'text/plain');
    await ok(project.post('/page/unit', { cover: id }));
    const digestsFor = async (of: TestProject) => {
      const { items } = (await ok(of.get('/file/unit?order=name'))) as { items: readonly { sha256?: string }[] };
      const [covers] = ((await ok(of.get('/page/unit?include=cover.sha256'))) as { items: readonly object[] }).items;
      return [...items.map((file) => 'sha256' in file), 'cover.sha256' in (covers ?? {})];
    };
    const whole = (await ok(project.get(`/file/unit/${id}`))) as { sha256: string };
    for (const caller of [bob, anonymous(project)]) expect(await digestsFor(caller)).toEqual([true, true, true]);
    await app.get(Provisioning).set(project.id, { settings: { originals: 'owner' } });
    await app.get(ProjectStore).reload(project.id);
    for (const caller of [ann, project]) expect(await digestsFor(caller)).toEqual([true, true, true]);
    for (const caller of [bob, anonymous(project)]) expect(await digestsFor(caller)).toEqual([false, true, false]);
    await ok(project.post('/kind/unit', { id: 'other' }));
    expect(await digestsFor(bob)).toEqual([false, true, false]);
    const { status, body } = await bob.put(`/file/unit/${id}`, { name: 'c.jpg' });
    expect([status, body.content]).toEqual([200, expect.not.objectContaining({ sha256: expect.anything() })]);
    const queries = [`filter=eq(sha256,${whole.sha256})`, 'order=sha256', `filter=gt(sha256,${whole.sha256})`];
    for (const query of queries) {
      expect([await codeOfQuery(bob, query), await codeOfQuery(anonymous(project), query)]).toEqual([
        '403 access.denied',
        '401 token.missing',
      ]);
      expect(await codeOfQuery(project, query)).toBe('200');
    }
    expect(refusalOf(await bob.get(`/page/unit?filter=eq(cover.sha256,${whole.sha256})`)).status).toBe(403);
    expect(refusalOf(await bob.get('/file/aggregate?select=max(sha256)')).status).toBe(403);
    await app.get(Provisioning).set(project.id, { settings: { originals: 'all' } });
    await app.get(ProjectStore).reload(project.id);
    expect(await digestsFor(bob)).toEqual([true, true, true]);
  });
});
