/** Settings of a project that its administrators change: which, with what proof, and that they hold at once. */
import { describe, expect, it } from 'vitest';
import { anonymous, signUp, withMembers } from '../../support/callers.js';
import { ok, query, refusalOf } from '../../support/definitions.js';
import { setSettings } from '../../support/mailbox.js';
import { makeKey } from '../../support/keys.js';
import { sharedService, type Reply } from '../../support/service.js';

const service = await sharedService();
const admin = await withMembers(await service.project());
const ann = await signUp(admin, 'ann');

/** Makes all proofs of who a member is too old, or new again. */
const prove = (fresh: boolean) =>
  query(admin, `UPDATE $schema."_session" SET "proved_at" = now() - interval '${fresh ? '0' : '1 day'}'`);

async function refused(call: Promise<Reply>, status: number, code: string): Promise<void> {
  const { status: got, messages } = refusalOf(await call);
  expect([got, messages.map((each) => each.split(' ')[0])]).toEqual([status, [code]]);
}

describe('the settings of a project', () => {
  it('are read and changed one by one, and the operator sees them too', async () => {
    const before = await ok(admin.get('/settings'));
    expect(before).toMatchObject({ otp: false, second_step: 'optional', originals: 'all', file_url_seconds: 3600 });
    for (const own of ['units', 'storage', 'requests_per_second', 'background', 'changes_keep']) {
      expect(before).not.toHaveProperty(own);
      await refused(admin.put('/settings', { [own]: 5 }), 400, 'parameter.unknown');
    }
    expect(await ok(admin.put('/settings', { originals: 'owner', otp: null }))).toEqual({
      ...before,
      originals: 'owner',
    });
    expect(await ok(admin.put('/settings', before))).toEqual(before);
    expect(await ok(admin.put('/settings', {}))).toEqual(before);
    expect(before).toMatchObject({ model: 'open' });
    await refused(admin.put('/settings', { model: 'locked', otp: true }), 400, 'parameter.read_only');
    expect(await ok(admin.get('/settings'))).toEqual(before);
  });

  it('hold from the next request on', async () => {
    await ok(admin.put('/settings', { otp: true, second_step: 'everyone' }));
    const { username, password } = ann;
    const reply = await anonymous(admin).post('/auth/signin', { username, password });
    expect(reply.headers.get('kind-second-step')).toBe('mail');
    await refused(admin.as(ann.accessToken).get('/person/unit'), 403, 'second_step.missing');
    // Administrators are held back too, and can take it back only on the machine or with a second step.
    await refused(admin.put('/settings', { second_step: 'optional' }), 403, 'second_step.missing');
    await setSettings(admin, { secondStep: 'optional', otp: false });
    await ok(admin.get('/settings'));
  });

  it('of sign-in ask for a fresh proof, and API keys set the others alone', async () => {
    const { secret } = await makeKey(admin);
    const keyed = admin.as(secret);
    await ok(keyed.put('/settings', { file_url_seconds: 60 }));
    await refused(keyed.put('/settings', { file_url_seconds: 90, otp: true }), 403, 'key.not_here');
    await prove(false);
    await refused(admin.put('/settings', { second_step: 'optional' }), 403, 'session.stale');
    expect(await ok(admin.put('/settings', { file_url_seconds: 120 }))).toMatchObject({ file_url_seconds: 120 });
    await prove(true);
    expect(await ok(admin.put('/settings', { otp: false }))).toMatchObject({ otp: false, file_url_seconds: 120 });
  });

  it('are refused with all that is wrong, and to others than administrators', async () => {
    const { status, body } = await admin.put('/settings', {
      otp: 'on',
      second_step: 'all',
      image_sizes: 'tiny',
      file_url_seconds: 5,
    });
    expect([status, ...body.messages.map(({ code, parameter }) => `${code} ${parameter}`)]).toEqual([
      400,
      'parameter.bad_type otp',
      'parameter.not_allowed second_step',
      'parameter.bad_value image_sizes',
      'parameter.bad_value file_url_seconds',
    ]);
    // Each text names its parameter once.
    for (const { text } of body.messages) expect(text.match(/^(\w+): (?!\1)/)).not.toBeNull();
    for (const name of ['redirects', 'passkey_domain', 'passkey_origins', 'image_sizes']) {
      for (const value of [[], ['x'], {}, 5, true]) {
        await refused(admin.put('/settings', { [name]: value }), 400, 'parameter.bad_type');
      }
      const { body: odd } = await admin.put('/settings', { [name]: `${'a'.repeat(5000)}\0` });
      expect(odd.messages.map(({ text }) => text)).toEqual([`${name}: has a NUL character, which cannot be stored`]);
      const { text } = await admin.put('/settings', { [name]: 'a'.repeat(5000) });
      expect(text.length).toBeLessThan(400);
    }
    await refused(admin.as(ann.accessToken).get('/settings'), 403, 'access.denied');
    await refused(anonymous(admin).get('/settings'), 401, 'token.missing');
  });
});
