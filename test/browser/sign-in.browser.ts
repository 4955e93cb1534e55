/** Signing in with a second step, setting one up, and proving who one is, as a person would. */
import { readFileSync } from 'node:fs';
import { TOTP } from 'otpauth';
import { expect, it, vi } from 'vitest';
import { signUp, withMembers } from '../support/callers.js';
import { startChromium } from '../support/chromium.js';
import { ConsolePage } from '../support/console.js';
import { query } from '../support/definitions.js';
import { codeIn, Mailbox, setSettings, temporaryFolder } from '../support/mailbox.js';
import { ADMIN, startTestService } from '../support/service.js';

vi.setConfig({ testTimeout: 60_000 });

const dataDir = temporaryFolder();
const mailbox = new Mailbox(dataDir);
const service = await startTestService({ dataDir, authRateLimit: false });
const project = await withMembers(await service.project());
const [ann, bob] = [await signUp(project, 'ann'), await signUp(project, 'bob')];
const browser = await startChromium();

/** Lets all proofs of who members are grow too old. */
const stale = () => query(project, `UPDATE $schema."_session" SET "proved_at" = now() - interval '1 day'`);

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
    await his.page.getByRole('link', { name: 'Set up a second step' }).first().click();
    await his.page.getByRole('button', { name: 'Set up an authenticator app' }).click();
    await his.page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
    expect(await his.accessibilityFaults()).toEqual([]);
  } finally {
    await setSettings(project, { secondStep: 'optional' });
  }
});
