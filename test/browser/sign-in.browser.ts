/** The ways to sign in, setting them up, and proving who one is, as a person would. */
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { TOTP } from 'otpauth';
import { expect, it, vi } from 'vitest';
import { CALLER_LASTS } from '../../src/tenancy/caller.js';
import { asAdministrator, signUp, withMembers } from '../support/callers.js';
import { startChromium } from '../support/chromium.js';
import { ConsolePage } from '../support/console.js';
import { ok, query } from '../support/definitions.js';
import { addDevice } from '../support/device.js';
import { codeIn, Mailbox, setSettings, temporaryFolder } from '../support/mailbox.js';
import { startOidcProvider } from '../support/oidc-provider.js';
import { ADMIN, startTestService } from '../support/service.js';

vi.setConfig({ testTimeout: 120_000 });

const dataDir = temporaryFolder();
const mailbox = new Mailbox(dataDir);
const service = await startTestService({
  dataDir,
  authRateLimit: false,
  identityProviders: { allow: [], allowPrivate: true },
});
const project = await withMembers(await service.project());
const [ann, bob] = [await signUp(project, 'ann'), await signUp(project, 'bob')];
const browser = await startChromium();

/** Lets all proofs of who members are grow too old. */
const stale = () => query(project, `UPDATE $schema."_session" SET "proved_at" = now() - interval '1 day'`);

const kinds = ({ page }: ConsolePage) => page.getByRole('navigation', { name: 'Kinds' });

/** At the form of the sign-in, filled in. */
async function signingIn({ username, password }: typeof ann, hash = ''): Promise<ConsolePage> {
  const opened = await ConsolePage.open(browser, project);
  await opened.page.goto(opened.url(hash));
  await opened.signIn(username, password);
  return opened;
}

const region = ({ page }: ConsolePage, name: string) => page.getByRole('main').getByRole('region', { name });

let secret = '';
let codes: readonly string[] = [];
/** Of so many steps from now, so that each is used once. */
const codeOf = (step: number) => new TOTP({ secret }).generate({ timestamp: Date.now() + step * 30_000 });

it('an authenticator app is set up after a proof, and its recovery codes are kept', async () => {
  const hers = await signingIn(ann, '#/account/sign-in');
  const { page } = hers;
  await region(hers, 'Second step').getByText('So far your password is enough').waitFor();
  await stale();
  await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
  const asks = page.getByRole('dialog', { name: 'Is it you?' });
  await asks.getByRole('textbox', { name: 'Password' }).fill('not this one');
  await asks.getByRole('button', { name: 'Go on' }).click();
  await asks.getByText(/is wrong/).waitFor();
  expect(await hers.accessibilityFaults()).toEqual([]);
  await asks.getByRole('textbox', { name: 'Password' }).fill(ann.password);
  await asks.getByRole('button', { name: 'Go on' }).click();

  // What was asked for goes on by itself.
  await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
  secret = await page.getByRole('textbox', { name: 'Secret' }).inputValue();
  await hers.screenshot('second-step');
  const code = page.getByRole('textbox', { name: 'Code that the app shows' });
  expect(await code.getAttribute('autocomplete')).toBe('one-time-code');
  await code.fill('000000');
  await page.getByRole('button', { name: 'Switch on' }).click();
  await region(hers, 'Second step')
    .getByText(/is wrong/)
    .waitFor();
  expect(await hers.accessibilityFaults()).toEqual([]);
  await code.fill(codeOf(-1));
  await page.getByRole('button', { name: 'Switch on' }).click();
  const kept = page.getByRole('dialog', { name: 'Recovery codes' });
  await kept.getByRole('listitem').first().waitFor();
  codes = await kept.getByRole('listitem').allInnerTexts();
  expect(codes).toHaveLength(10);
  expect(await hers.accessibilityFaults()).toEqual([]);
  // A test cannot choose in the dialog of the browser: without it, files are downloaded.
  await page.evaluate('delete window.showSaveFilePicker');
  const downloaded = page.waitForEvent('download');
  await kept.getByRole('button', { name: 'Download' }).click();
  const file = await downloaded;
  expect(readFileSync(await file.path(), 'utf8')).toBe(`${codes.join('\n')}\n`);
  expect(file.suggestedFilename()).toBe(`recovery-codes-${project.id}.txt`);
  await page.emulateMedia({ media: 'print' });
  expect(await page.getByRole('heading', { name: 'Your sign-in' }).isVisible()).toBe(false);
  expect(await kept.getByText(codes[0] ?? '').isVisible()).toBe(true);
  await page.emulateMedia({ media: 'screen' });
  await kept.getByRole('button', { name: 'I have kept them' }).click();
  await region(hers, 'Second step').getByText('10 recovery codes are left.').waitFor();
  await hers.context.close();
});

it('a sign-in says whether it asks for the code of the app or of the mail', async () => {
  const hers = await signingIn(ann);
  await hers.page.getByText('Type the code that your authenticator app shows now').waitFor();
  const code = hers.page.getByRole('textbox', { name: 'Code of the app, or a recovery code' });
  expect(await code.getAttribute('autocomplete')).toBe('one-time-code');
  await code.fill('000000');
  await hers.page.getByRole('button', { name: 'Sign in' }).click();
  await hers.page.getByRole('alert').filter({ hasText: /wrong/i }).first().waitFor();
  expect(await hers.accessibilityFaults()).toEqual([]);
  await code.fill(codeOf(0));
  await hers.page.getByRole('button', { name: 'Sign in' }).click();
  await hers.page.getByRole('navigation', { name: 'Kinds' }).waitFor();
  await hers.context.close();

  await setSettings(project, { otp: true });
  const his = await signingIn(bob);
  await his.page.getByText('A code was mailed to you.').waitFor();
  await his.page.getByRole('textbox', { name: 'Code of the mail' }).fill(codeIn(await mailbox.last(bob.email)));
  await his.page.getByRole('button', { name: 'Sign in' }).click();
  await his.page.getByRole('navigation', { name: 'Kinds' }).waitFor();
  await setSettings(project, { otp: false });
  await his.context.close();
});

it('new recovery codes and the removal of the app ask first, with a code as the proof; without it nothing is done', async () => {
  const hers = await signingIn(ann, '#/account/sign-in');
  const { page } = hers;
  await page.getByRole('textbox', { name: 'Code of the app, or a recovery code' }).fill(codes[0] ?? '');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await region(hers, 'Second step').getByText('9 recovery codes are left.').waitFor();
  await page.getByRole('button', { name: 'New recovery codes' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'New recovery codes' }).click();
  const kept = page.getByRole('dialog', { name: 'Recovery codes' });
  await kept.getByRole('listitem').first().waitFor();
  const [first = ''] = await kept.getByRole('listitem').allInnerTexts();
  expect(codes).not.toContain(first);
  await kept.getByRole('button', { name: 'I have kept them' }).click();

  await stale();
  await page.getByRole('button', { name: 'Remove the app' }).click();
  const remove = page.getByRole('dialog', { name: 'Remove the authenticator app?' });
  await remove.getByRole('button', { name: 'Remove the app' }).click();
  const asks = page.getByRole('dialog', { name: 'Is it you?' });
  await asks.getByRole('button', { name: 'Cancel' }).click();
  await remove.getByText('Prove who you are once more').waitFor();
  await remove.getByRole('button', { name: 'Remove the app' }).click();
  await asks.getByRole('textbox', { name: 'Code of the app, or a recovery code' }).fill(first);
  expect(await hers.accessibilityFaults()).toEqual([]);
  await asks.getByRole('button', { name: 'Go on' }).click();
  await region(hers, 'Second step').getByText('So far your password is enough').waitFor();
  await hers.context.close();
});

it('who must have a second step is led to it, and administrators ask for it in the settings, with a proof', async () => {
  const opened = await ConsolePage.signedIn(browser, project);
  await opened.page.goto(opened.url('#/settings'));
  const signIn = region(opened, 'Sign-in');
  await signIn.getByRole('combobox', { name: 'Who must have a second step' }).click();
  await opened.page.getByRole('option', { name: 'All members' }).click();
  await stale();
  await signIn.getByRole('button', { name: 'Save' }).click();
  const asks = opened.page.getByRole('dialog', { name: 'Is it you?' });
  await asks.getByRole('textbox', { name: 'Password' }).fill('something');
  expect(await opened.accessibilityFaults()).toEqual([]);
  await asks.getByRole('button', { name: 'Cancel' }).click();
  await signIn.getByText('Prove who you are once more').waitFor();
  await signIn.getByRole('button', { name: 'Save' }).click();
  await asks.getByRole('textbox', { name: 'Password' }).fill(ADMIN.password);
  await asks.getByRole('button', { name: 'Go on' }).click();
  await opened.page.getByText('Saved').first().waitFor();
  try {
    const his = await signingIn(bob, '#/members');
    // In place of the page, which goes on when it is done.
    const held = his.page.getByRole('dialog', { name: 'A second step' });
    await held.getByText('This project asks for it before you go on').waitFor();
    expect(await his.page.getByText('Something went wrong').count()).toBe(0);
    expect(await his.accessibilityFaults()).toEqual([]);
    await his.screenshot('held');
    await held.getByRole('button', { name: 'Set up an authenticator app' }).click();
    secret = await held.getByRole('textbox', { name: 'Secret' }).inputValue();
    await held.getByRole('textbox', { name: 'Code that the app shows' }).fill(codeOf(0));
    await held.getByRole('button', { name: 'Switch on' }).click();
    await his.page.getByRole('button', { name: 'I have kept them' }).click();
    await held.getByText('Your second step is set up.').waitFor();
    expect(await his.accessibilityFaults()).toEqual([]);
    await held.getByRole('button', { name: 'Go on' }).click();
    await held.waitFor({ state: 'hidden' });
    await his.page.getByRole('main').getByText('1 member', { exact: true }).waitFor();
    // A session in which it was not used asks for it.
    await query(project, `UPDATE $schema."_session" SET "second_step" = NULL`);
    await setTimeout(CALLER_LASTS + 100);
    await his.page.reload();
    await held.getByText('This sign-in began without it').waitFor();
    expect(await his.accessibilityFaults()).toEqual([]);
    await held.getByRole('textbox', { name: 'Code of the app' }).fill(codeOf(1));
    await held.getByRole('button', { name: 'Go on' }).click();
    await held.waitFor({ state: 'hidden' });
    await his.page.getByRole('main').getByText('1 member', { exact: true }).waitFor();
  } finally {
    await setSettings(project, { secondStep: 'optional' });
  }
  await ok((await asAdministrator(project)).delete(`/person/unit/${bob.id}/second_step`));
});

it('a passkey is added after a proof, and then signs in and proves', async () => {
  // Browsers have no passkeys for addresses of numbers.
  const origin = service.service.url.replace('127.0.0.1', 'localhost');
  const carl = await signUp(project, 'carl');
  const his = await ConsolePage.open(browser, project);
  const { page } = his;
  const device = await addDevice(page);
  await page.goto(`${origin}/console/#/account/sign-in`);
  await his.signIn(carl.username, carl.password);
  const passkeys = region(his, 'Passkeys');
  const add = passkeys.getByRole('button', { name: 'Add a passkey' });
  await add.hover();
  await page.getByRole('tooltip').getByText('This project takes no passkeys so far').waitFor();
  await setSettings(project, { passkeyDomain: 'localhost', passkeyOrigins: [origin] });
  await page.reload();
  await stale();
  await add.click();
  const adding = page.getByRole('dialog', { name: 'Add a passkey' });
  await adding.getByRole('button', { name: 'Add', exact: true }).click();
  expect(await his.accessibilityFaults()).toEqual([]);
  await adding.getByRole('textbox', { name: 'Name' }).fill('Laptop');
  await adding.getByRole('button', { name: 'Add', exact: true }).click();
  const asks = page.getByRole('dialog', { name: 'Is it you?' });
  await asks.getByRole('textbox', { name: 'Password' }).fill(carl.password);
  await asks.getByRole('button', { name: 'Go on' }).click();
  await passkeys.getByRole('cell', { name: 'Laptop', exact: true }).waitFor();
  await region(his, 'Second step').getByText('With a passkey no second step is asked for.').waitFor();
  await add.click();
  await adding.getByRole('textbox', { name: 'Name' }).fill('Again');
  await adding.getByRole('button', { name: 'Add', exact: true }).click();
  await adding.getByText('This device has a passkey for you already.').waitFor();
  await adding.getByRole('button', { name: 'Cancel' }).click();
  await passkeys.getByRole('button', { name: 'Rename the passkey Laptop' }).click();
  const renaming = page.getByRole('dialog', { name: 'Rename the passkey' });
  await renaming.getByRole('textbox', { name: 'Name' }).fill('Old laptop');
  await renaming.getByRole('button', { name: 'Rename' }).click();
  await passkeys.getByRole('cell', { name: 'Old laptop', exact: true }).waitFor();
  expect(await his.accessibilityFaults()).toEqual([]);
  await his.screenshot('passkeys');

  const signOut = async (): Promise<void> => {
    await page.getByRole('button', { name: carl.username }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
  };
  await signOut();
  const use = page.getByRole('button', { name: 'Use a passkey' });
  await device.verify(false);
  await use.click();
  await page.getByText('No passkey was used.').waitFor();
  expect(await his.accessibilityFaults()).toEqual([]);
  await his.screenshot('sign-in');
  await device.verify(true);
  await use.click();
  await kinds(his).waitFor();
  // Where a second step is demanded, a password leads on to the passkey.
  await setSettings(project, { secondStep: 'everyone' });
  try {
    await signOut();
    await his.signIn(carl.username, carl.password);
    await kinds(his).waitFor();
  } finally {
    await setSettings(project, { secondStep: 'optional' });
  }

  await stale();
  await passkeys.getByRole('button', { name: 'Remove the passkey Old laptop' }).click();
  const removing = page.getByRole('dialog', { name: 'Remove the passkey Old laptop?' });
  await removing.getByRole('button', { name: 'Remove' }).click();
  await asks.getByRole('button', { name: 'Use a passkey' }).waitFor();
  expect(await asks.getByRole('textbox').count()).toBe(0);
  expect(await his.accessibilityFaults()).toEqual([]);
  await asks.getByRole('button', { name: 'Use a passkey' }).click();
  await passkeys.getByText('There are none.').waitFor();

  // What the device still has is known to nobody.
  await signOut();
  await use.click();
  await page.getByText('The passkey was refused').waitFor();
  await his.context.close();
});

it('a mailed code signs in without a password, and another sign-in is a proof too', async () => {
  await setSettings(project, { mailSignIn: true });
  try {
    const his = await ConsolePage.open(browser, project);
    const { page } = his;
    await page.goto(his.url('?project=' + project.id + '#/account/sign-in'));
    /** Up to the code, which is typed. Other mails come in between. */
    const typesCode = async (former = ''): Promise<string> => {
      if (former === '') await page.getByRole('button', { name: 'Get a code by mail' }).click();
      await page.getByRole('textbox', { name: 'E-mail' }).fill(bob.email);
      await page.getByRole('button', { name: 'Mail me a code' }).click();
      expect(await code.getAttribute('autocomplete')).toBe('one-time-code');
      const newOne = async () => {
        const codes = (await mailbox.to(bob.email)).map(codeIn).filter((each) => /^\d{8}$/.test(each));
        const mailed = codes.at(-1) ?? former;
        expect(mailed).not.toBe(former);
        return mailed;
      };
      const mailed = await vi.waitFor(newOne, 10_000);
      await code.fill(mailed);
      return mailed;
    };
    const code = page.getByRole('textbox', { name: 'Code of the mail' });
    const right = await typesCode();
    await code.fill('00000000');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('No member has that e-mail address and code').waitFor();
    expect(await his.accessibilityFaults()).toEqual([]);
    await code.fill(right);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await kinds(his).waitFor();

    await stale();
    await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
    const asks = page.getByRole('dialog', { name: 'Is it you?' });
    // The first code has emptied the account, which has no password any more: only what is left is offered.
    expect(await asks.getByRole('textbox', { name: 'Password' }).count()).toBe(0);
    await typesCode(right);
    expect(await his.accessibilityFaults()).toEqual([]);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
    await his.context.close();
  } finally {
    await setSettings(project, { mailSignIn: false });
  }
});

it('who has not proved the address is asked for that first, and goes on; another address is proved as well', async () => {
  const dora = await signUp(project, 'dora');
  await setSettings(project, { verifyEmail: true });
  try {
    const hers = await signingIn(dora, '#/members');
    const { page } = hers;
    const asks = page.getByRole('dialog', { name: 'Verify your e-mail address' });
    await asks.getByText(dora.email).waitFor();
    await asks.getByRole('button', { name: 'Send a code', exact: true }).click();
    await asks.getByText(`A code is on its way to ${dora.email}`).waitFor();
    const code = page.getByRole('textbox', { name: 'Code of the mail' });
    await code.fill('000000');
    await asks.getByRole('button', { name: 'Verify the address' }).click();
    await asks.getByText(/is wrong/).waitFor();
    expect(await hers.accessibilityFaults()).toEqual([]);
    await hers.screenshot('address');
    await code.fill(codeIn(await mailbox.last(dora.email)));
    await asks.getByRole('button', { name: 'Verify the address' }).click();
    await asks.waitFor({ state: 'hidden' });
    // Herself.
    await page.getByRole('main').getByText('1 member', { exact: true }).waitFor();

    await page.goto(hers.url('#/account/sign-in'));
    const address = region(hers, 'E-mail address');
    await address.getByText('verified', { exact: true }).waitFor();
    await stale();
    await address.getByRole('button', { name: 'Change the address' }).click();
    await address.getByRole('textbox', { name: 'New e-mail address' }).fill('dora');
    await address.getByRole('button', { name: 'Send a code to it' }).click();
    const isItYou = page.getByRole('dialog', { name: 'Is it you?' });
    await isItYou.getByRole('textbox', { name: 'Password' }).fill(dora.password);
    await isItYou.getByRole('button', { name: 'Go on' }).click();
    await address.getByText('Must be an e-mail address').waitFor();
    await address.getByRole('textbox', { name: 'New e-mail address' }).fill('dora@elsewhere.example');
    await address.getByRole('button', { name: 'Send a code to it' }).click();
    await code.fill(codeIn(await mailbox.last('dora@elsewhere.example')));
    expect(await hers.accessibilityFaults()).toEqual([]);
    await address.getByRole('button', { name: 'Verify the address' }).click();
    await address.getByText('dora@elsewhere.example', { exact: true }).waitFor();
    await hers.context.close();
  } finally {
    await setSettings(project, { verifyEmail: false });
  }
});

it('a provider is set up with its callback address, a member links its account there, and signs in with it', async () => {
  const callback = `${service.service.url}/api/lib/project/${project.id}/provider/corp/callback`;
  const oidc = await startOidcProvider({ redirectUris: [callback] });
  oidc.accounts.set('emil', { email: 'somebody@else.example', email_verified: true });
  const opened = await ConsolePage.signedIn(browser, project);
  await opened.page.goto(opened.url('#/settings'));
  const providers = region(opened, 'Identity providers');
  await providers.getByText('There are none.').waitFor();
  await providers.getByRole('link', { name: 'New provider' }).click();
  const field = (name: string) => opened.page.getByRole('textbox', { name, exact: true });
  await field('Id').fill('corp');
  await field('Label').fill('Corporation');
  await field('Issuer').fill(oidc.issuer);
  await field('Client id').fill(oidc.clientId);
  const secret = opened.page.getByLabel('Client secret', { exact: true });
  await secret.fill(oidc.clientSecret);
  expect(await secret.getAttribute('type')).toBe('password');
  await opened.page.getByRole('combobox', { name: 'Member kind' }).click();
  await opened.page.getByRole('option', { name: 'person' }).click();
  await opened.page.getByRole('button', { name: 'Create' }).click();
  await opened.page.getByRole('heading', { name: 'Corporation' }).waitFor();
  expect(await field('Address to register there').inputValue()).toBe(callback);
  // What is not shown stays: who signs in below needs it.
  const save = opened.page.getByRole('button', { name: 'Save' });
  expect([await secret.inputValue(), await secret.getAttribute('placeholder')]).toEqual(['', 'Unchanged']);
  await field('Scopes').fill('openid email');
  await save.click();
  await opened.page.getByText('Saved').first().waitFor();
  expect(await opened.accessibilityFaults()).toEqual([]);
  await opened.page.goto(opened.url('#/settings'));
  await providers.getByText(callback).waitFor();
  expect(await opened.accessibilityFaults()).toEqual([]);
  await opened.screenshot('providers');
  await providers.getByRole('button', { name: 'Test the provider Corporation' }).click();
  await providers.getByText(`signs members in at ${oidc.issuer}/auth`).waitFor();

  const emil = await signUp(project, 'emil');
  const his = await signingIn(emil, '#/account/sign-in');
  const { page } = his;
  const accounts = region(his, 'Accounts elsewhere');
  await accounts.getByRole('button', { name: 'Link Corporation' }).click();
  const atProvider = async (): Promise<void> => {
    await page.getByPlaceholder('Enter any login').fill('emil');
    await page.getByPlaceholder('and password').fill('any');
    await page.getByRole('button', { name: 'Sign-in' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
  };
  await atProvider();
  await accounts.getByRole('cell', { name: 'somebody@else.example' }).waitFor();
  expect(await his.accessibilityFaults()).toEqual([]);
  // The sign-in at the provider began no other session.
  const sessions = region(his, 'Sessions').getByRole('row');
  // With the head, that of the sign-up, and the present one.
  await vi.waitFor(async () => expect(await sessions.count()).toBe(3), 10_000);

  const signOut = async (): Promise<void> => {
    await page.getByRole('button', { name: emil.username }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
  };
  await signOut();
  await page.getByRole('button', { name: 'Continue with Corporation' }).click();
  await kinds(his).waitFor();
  // Who has no password is asked for none, and may set one.
  await query(project, `UPDATE $schema."kind_system_user" SET "password_hash" = NULL WHERE "member_id" = '${emil.id}'`);
  await stale();
  await page.reload();
  await region(his, 'Second step').getByText('So far one proof is enough').waitFor();
  await region(his, 'Password').getByRole('button', { name: 'Send a link to set one' }).click();
  await page.getByText(`A mail with a link to set a password is on its way to ${emil.email}.`).waitFor();
  await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
  const again = page.getByRole('dialog', { name: 'Is it you?' });
  await again.getByRole('button', { name: 'Continue with Corporation' }).waitFor();
  expect(await again.getByRole('textbox').count()).toBe(0);
  expect(await his.accessibilityFaults()).toEqual([]);
  await again.getByRole('button', { name: 'Continue with Corporation' }).click();
  await page.getByText('So far one proof is enough').waitFor();
  // At the page that was left.
  await accounts.getByRole('button', { name: 'Remove the account of Corporation' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await accounts.getByText('There are none.').waitFor();
  await signOut();
  await page.getByRole('button', { name: 'Continue with Corporation' }).click();
  await page.getByText('No member may sign in with this account.').waitFor();
  expect(await his.accessibilityFaults()).toEqual([]);
  expect(new URL(page.url()).search).toBe('');
  // What is refused before the provider is a page of its own.
  await page.goto(his.url().replace('127.0.0.1', 'localhost') + `?project=${project.id}`);
  await page.getByRole('button', { name: 'Continue with Corporation' }).click();
  await page.getByRole('heading', { name: 'This sign-in cannot go on' }).waitFor();
  await page.getByText(/^redirect_to: is none of the addresses/).waitFor();
  expect(await his.accessibilityFaults()).toEqual([]);
  await his.screenshot('stopped');
  await page.goBack();
  await page.getByRole('button', { name: 'Continue with Corporation' }).waitFor();
  await his.context.close();

  await query(project, 'UPDATE $schema."_session" SET "proved_at" = now()');
  await opened.page.goto(opened.url('#/data/identity_provider/unit/corp'));
  await opened.page.getByRole('checkbox', { name: 'Remove what is stored: Client secret' }).check();
  await save.click();
  const stored = () => query(project, 'SELECT "client_secret" FROM $schema."identity_provider"');
  await vi.waitFor(async () => expect(await stored()).toEqual([{ client_secret: null }]), 10_000);
  await opened.page.goto(opened.url('#/settings'));
  await providers.getByRole('button', { name: 'Delete the provider Corporation' }).click();
  await opened.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await providers.getByText('There are none.').waitFor();
  await opened.context.close();
});

it('a link that is cancelled at the provider says so, and one that is made is exchanged once, told and shown', async () => {
  const other = await withMembers(await service.project());
  const callback = `${service.service.url}/api/lib/project/${other.id}/provider/corp/callback`;
  const {
    issuer,
    clientId: client_id,
    clientSecret: client_secret,
  } = await startOidcProvider({
    redirectUris: [callback],
    accounts: { fay: { email: 'fay@else.example', email_verified: true } },
  });
  const corp = { id: 'corp', label: 'Corporation', issuer, client_id, client_secret, member_kind: 'person' };
  await ok((await asAdministrator(other)).post('/identity_provider/unit', corp));
  const fay = await signUp(other, 'fay');
  const hers = await ConsolePage.open(browser, other);
  const { page } = hers;
  await page.goto(hers.url('#/account/sign-in'));
  await hers.signIn(fay.username, fay.password);
  const section = region(hers, 'Accounts elsewhere');
  const link = section.getByRole('button', { name: 'Link Corporation' });
  await link.waitFor();
  const exchanges: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/auth/exchange')) exchanges.push(request.method());
  });
  await link.click();
  await page.getByRole('link', { name: 'Cancel' }).click();
  await page.getByText('The provider did not let you in').waitFor();
  expect(new URL(page.url()).search).toBe('');
  await link.click();
  await page.getByPlaceholder('Enter any login').fill('fay');
  await page.getByPlaceholder('and password').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('Linked with Corporation').waitFor();
  const account = section.getByRole('cell', { name: 'fay@else.example' });
  await account.waitFor();
  expect(exchanges).toEqual(['POST']);
  expect(new URL(page.url()).search).toBe('');
  expect(await hers.accessibilityFaults()).toEqual([]);

  // A page that is loaded anew while the exchange is on its way goes on, whether or not the service has got it.
  for (const isSent of [true, false]) {
    await section.getByRole('button', { name: 'Remove the account of Corporation' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await section.getByText('There are none.').waitFor();
    // The first one is never answered; the page that is loaded anew sends another.
    let isHeld = false;
    const exchanging = new Promise<void>((resolve) => {
      void page.route('**/auth/exchange', async (route) => {
        if (isHeld) return route.continue();
        isHeld = true;
        if (isSent) await route.fetch();
        resolve();
      });
    });
    await link.click();
    await exchanging;
    await page.getByText('The account of Corporation is being linked.').waitFor();
    await page.reload();
    await page.getByText('Linked with Corporation').waitFor();
    await account.waitFor();
    await page.unroute('**/auth/exchange');
    expect(new URL(page.url()).search).toBe('');
  }
  expect(await page.evaluate('Object.keys({ ...localStorage, ...sessionStorage }).join()')).not.toContain('provider');

  // What this browser has not begun is told, and does nothing.
  await page.goto(hers.url('?code=abc&state=def'));
  await page.getByText('This was begun in another browser, or has ended').waitFor();
  expect(new URL(page.url()).search).toBe('');
  expect(await hers.accessibilityFaults()).toEqual([]);
  await hers.context.close();
});
