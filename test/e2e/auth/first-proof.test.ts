/** Addresses that are proved for the first time, by who does not know the password of the account: pre-hijacking. */
import { TOTP } from 'otpauth';
import { describe, expect, it } from 'vitest';
import { Authenticator } from '../../support/authenticator.js';
import { anonymous, signUp, withMembers, type TestMember } from '../../support/callers.js';
import { ok, query } from '../../support/definitions.js';
import { Mailbox, mailsSent, setSettings, temporaryFolder, tokenIn } from '../../support/mailbox.js';
import { startTestService } from '../../support/service.js';

const dataDir = temporaryFolder();
const mailbox = new Mailbox(dataDir);
const service = await startTestService({ dataDir, authRateLimit: false });
const admin = await withMembers(await service.project());
const open = anonymous(admin);
const ORIGIN = 'https://example.com';
await setSettings(admin, { passkeyDomain: 'example.com', passkeyOrigins: [ORIGIN] });

/** A member with everything that opens an account beside its password. */
async function withAllWays(name: string) {
  const member = await signUp(admin, name);
  const as = admin.as(member.accessToken);
  const { secret: key } = (await ok(as.post('/api_key/unit', { label: 'k' }))) as { secret: string };
  const { secret } = (await ok(as.post('/auth/totp', {}))) as { secret: string };
  const { challenge_id, options } = await ok(as.post('/auth/passkey/options', {}));
  const device = new Authenticator(ORIGIN);
  await ok(as.post('/auth/passkey', { challenge_id, response: device.create(options) }));
  await query(
    admin,
    `INSERT INTO $schema.identity (id, provider, member, issuer, subject, metadata, inserted_at, updated_at)
     VALUES (gen_random_uuid(), 'idp', $1, 'https://idp.example.com', $2, '{}', now(), now())`,
    [member.id, name],
  );
  const code = new TOTP({ secret }).generate({ timestamp: Date.now() - 30_000 });
  const { recovery_codes: recovery } = (await ok(as.post('/auth/totp/confirm', { code }))) as {
    recovery_codes: string[];
  };
  return { member, key, secret, recovery, device };
}

async function reset({ email }: Pick<TestMember, 'email'>, password: string): Promise<void> {
  await ok(open.post('/auth/recover_password', { email }));
  // Among others, which come in no order.
  const tokens = async () => (await mailbox.to(email)).map(tokenIn).filter((token) => token !== '');
  await expect.poll(tokens).not.toEqual([]);
  const [token] = await tokens();
  await ok(open.post(`/auth/reset_password/${token}`, { new_password: password }));
}

const recordOf = ({ id }: TestMember) => ok(admin.get(`/person/unit/${id}`));
const signIn = (username: string, password: string, otp: string | null = null) =>
  open.post('/auth/signin', { username, password, otp });

describe('a reset that proves an address for the first time', () => {
  it('leaves nothing by which somebody else could open the account', async () => {
    const { member, key, secret, recovery, device } = await withAllWays('ann');
    expect((await recordOf(member)).email_verified_at).toBeNull();
    await reset(member, 'that of the owner');
    expect((await recordOf(member)).email_verified_at).toMatch(/Z$/);
    for (const token of [member.accessToken, key]) expect((await open.get('/person/unit', { token })).status).toBe(401);
    expect((await open.post('/auth/refresh', {}, { token: member.refreshToken })).status).toBe(401);
    const code = new TOTP({ secret }).generate();
    for (const otp of [null, code, recovery[0] ?? ''])
      expect((await signIn('ann', member.password, otp)).status).toBe(401);
    const { challenge_id, options } = await ok(open.post('/auth/passkey/signin/options', {}));
    const response = device.get(options);
    expect((await open.post('/auth/passkey/signin', { challenge_id, response })).status).toBe(401);
    const session = await ok(signIn('ann', 'that of the owner'));
    const owner = admin.as(session.access_token as string);
    expect(await ok(owner.get('/auth/second_step'))).toEqual({
      password: true,
      totp: false,
      passkeys: 0,
      recovery_codes: 0,
    });
    for (const kind of ['api_key', 'identity']) {
      expect(await ok(owner.get(`/${kind}/unit`))).toMatchObject({ count: 0 });
    }
    const texts = async () => (await mailbox.to(member.email)).map(({ text }) => text).join();
    await expect
      .poll(texts)
      .toContain(
        'what opened it was removed: the authenticator app with its recovery codes, all passkeys, all accounts of other services, all API keys.',
      );
  });

  it('tells nothing of an account that had only its password', async () => {
    const bea = await signUp(admin, 'bea');
    await reset(bea, 'that of the owner');
    expect((await signIn('bea', 'that of the owner')).status).toBe(200);
    expect((await recordOf(bea)).email_verified_at).not.toBeNull();
    await mailsSent(admin);
    expect(await mailbox.to(bea.email)).toHaveLength(1);
  });

  it('is another one after an administrator has changed the address', async () => {
    const cid = await signUp(admin, 'cid');
    await reset(cid, 'that of the owner');
    const changed = await ok(admin.put(`/person/unit/${cid.id}`, { email: 'cid@example.net' }));
    expect(changed.email).toBe('cid@example.net');
    expect((await recordOf(cid)).email_verified_at).toBeNull();
    await ok(admin.put(`/person/unit/${cid.id}`, { username: 'cidney' }));
    await reset({ ...cid, email: 'cid@example.net' }, 'that of another');
    expect((await recordOf(cid)).email_verified_at).not.toBeNull();
    await ok(admin.put(`/person/unit/${cid.id}`, { username: 'cidric' }));
    expect((await recordOf(cid)).email_verified_at).not.toBeNull();
  });
});

describe('a reset leaves the other ways in', () => {
  it('of an account whose address is verified', async () => {
    const { member, key } = await withAllWays('dot');
    await query(admin, 'UPDATE $schema.kind_system_user SET email_verified_at = now() WHERE member_id = $1', [
      member.id,
    ]);
    await reset(member, 'that of the owner');
    expect((await open.get('/person/unit', { token: key })).status).toBe(200);
    expect((await signIn('dot', 'that of the owner')).headers.get('kind-second-step')).toBe('totp');
  });

  it('of an account whose former address was, as far as they are a second step', async () => {
    const { member, key, secret, device } = await withAllWays('fay');
    await query(admin, 'UPDATE $schema.kind_system_user SET email_verified_at = now() WHERE member_id = $1', [
      member.id,
    ]);
    const email = 'fay@example.net';
    await ok(admin.put(`/person/unit/${member.id}`, { email }));
    await reset({ email }, 'that of another');
    expect((await recordOf(member)).email_verified_at).not.toBeNull();
    expect((await signIn('fay', 'that of another')).headers.get('kind-second-step')).toBe('totp');
    const session = await ok(signIn('fay', 'that of another', new TOTP({ secret }).generate()));
    const owner = admin.as(session.access_token as string);
    expect(await ok(owner.get('/auth/second_step'))).toMatchObject({ totp: true, passkeys: 1, recovery_codes: 10 });
    const { challenge_id, options } = await ok(open.post('/auth/passkey/signin/options', {}));
    await ok(open.post('/auth/passkey/signin', { challenge_id, response: device.get(options) }));
    expect((await open.get('/person/unit', { token: key })).status).toBe(401);
    expect(await ok(owner.get('/identity/unit'))).toMatchObject({ count: 0 });
    const texts = async () => (await mailbox.to(email)).map(({ text }) => text).join();
    await expect.poll(texts).toContain('was removed: all accounts of other services, all API keys.');
  });

  it('of an account that is older than the verification of addresses, which it does not verify', async () => {
    const { member, key } = await withAllWays('eve');
    await query(
      admin,
      `UPDATE $schema.kind_system_user SET inserted_at = (SELECT verifies_since FROM $schema._members) - interval '1 hour'
      WHERE member_id = $1`,
      [member.id],
    );
    await reset(member, 'that of the owner');
    expect((await open.get('/person/unit', { token: key })).status).toBe(200);
    expect((await signIn('eve', 'that of the owner')).headers.get('kind-second-step')).toBe('totp');
    expect((await recordOf(member)).email_verified_at).toBeNull();
  });

  it('of an administrator, whose account nobody else can have made', async () => {
    const [row] = await query<{ id: string }>(admin, 'SELECT id::text FROM $schema.kind_admin');
    const { secret: key } = (await ok(admin.post('/api_key/unit', { label: 'k' }))) as { secret: string };
    await reset({ email: 'admin@example.com' }, 'that of the owner');
    expect((await open.get('/person/unit', { token: key })).status).toBe(200);
    const record = await ok(open.get(`/kind_admin/unit/${row?.id}`, { token: key }));
    expect(record.email_verified_at).not.toBeNull();
  });
});
