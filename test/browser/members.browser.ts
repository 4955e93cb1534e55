/** Members, their sessions and API keys, and one's own account, used as a person would. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { defineKinds, signUp, withMembers } from '../support/callers.js';
import { startChromium } from '../support/chromium.js';
import { ConsolePage, EVIL } from '../support/console.js';
import { createdId, ok } from '../support/definitions.js';
import { Mailbox, temporaryFolder } from '../support/mailbox.js';
import { startTestService } from '../support/service.js';

vi.setConfig({ testTimeout: 60_000 });

const dataDir = temporaryFolder();
const mailbox = new Mailbox(dataDir);
const service = await startTestService({ dataDir });
const project = await withMembers(await service.project());
await defineKinds(project, { id: 'order', label: 'Order' }, { id: 'evil', label: EVIL });
const ann = await signUp(project, 'ann', { first_name: 'Ann' });
const eve = await signUp(project, 'eve', { first_name: EVIL });
const browser = await startChromium();

const opened = await ConsolePage.signedIn(browser, project);
const { page, complaints } = opened;
beforeEach(() => void complaints.splice(0));

const main = (on = page) => on.getByRole('main');
const section = (name: string, on = page) => main(on).getByRole('region', { name });
/** What the browser complains of, except that it counts refusals as errors. */
const realComplaints = () => complaints.filter((each) => !each.includes('status of'));

it('that has forgotten the password gets a mail', async () => {
  const theirs = await ConsolePage.open(browser, project);
  await theirs.page.goto(theirs.url(`?project=${project.id}`));
  await theirs.page.getByRole('button', { name: 'Forgot the password?' }).click();
  await theirs.page.getByRole('heading', { name: 'Forgotten password' }).waitFor();
  await theirs.page.getByLabel('E-mail').fill('eve@example.com');
  await theirs.page.getByRole('button', { name: 'Send the mail' }).click();
  await theirs.page.getByText('If a member has this address, the mail is on its way.').waitFor();
  const link = /http\S+\/auth\/reset_password\/\S+/.exec((await mailbox.last('eve@example.com', 1)).text)?.[0];
  expect(await theirs.accessibilityFaults()).toEqual([]);
  await theirs.page.getByRole('button', { name: 'Back to the sign-in' }).click();
  await theirs.page.getByRole('heading', { name: 'Sign in' }).waitFor();

  await theirs.page.goto(`${link}#${project.id}`);
  await theirs.page.getByText(`For the project ${project.id}`).waitFor();
  await theirs.page.getByLabel('New password,').fill('short');
  await theirs.page.getByRole('button').click();
  await theirs.page.getByRole('status').getByText('password').waitFor();
  await theirs.page.getByLabel('New password,').fill('a new password of eve');
  await theirs.page.getByRole('button').click();
  await theirs.page.getByText('Sign in with it from now on.').waitFor();
  expect(await theirs.accessibilityFaults()).toEqual([]);
  await theirs.page.getByRole('link', { name: 'Go on to the console' }).click();
  await theirs.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(await theirs.page.getByLabel('Project key').inputValue()).toBe(project.id);
  await theirs.context.close();
});

it('that proves its address does so on a page, with the password', async () => {
  const as = project.as(ann.accessToken);
  await ok(as.post('/auth/verify_email/mail', {}));
  const link = /http\S+\/verify#\S+/.exec((await mailbox.last(ann.email, 1)).text)?.[0] ?? '';
  const hers = await ConsolePage.open(browser, project);
  await hers.page.goto(link);
  await hers.page.getByLabel('Your password').fill('another password');
  await hers.page.getByRole('button', { name: 'Verify' }).click();
  await hers.page
    .getByText('The password is wrong, or the link was used, is too old or is of a session that has ended.')
    .waitFor();
  expect(await ok(as.get('/auth/me'))).toMatchObject({ email_verified_at: null });
  await hers.page.getByLabel('Your password').fill(ann.password);
  await hers.page.getByRole('button', { name: 'Verify' }).click();
  await hers.page.getByText('Your e-mail address is verified.').waitFor();
  expect(await ok(as.get('/auth/me'))).toMatchObject({ email_verified_at: expect.any(String) });
  await hers.context.close();
});

it('that reads a mail without JavaScript is told what to do', async () => {
  const page = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
  for (const path of ['auth/reset_password/abc', `project/${project.id}/verify`]) {
    await page.goto(`${project.service.url}/api/lib/${path}#abc`);
    // Scripts that are switched off for a page leave its `noscript` unshown: that takes a browser without them.
    expect(await page.content()).toMatch(/<noscript>\s*<p>\s*This page needs JavaScript/);
    expect(await page.locator('form').isVisible()).toBe(false);
  }
  await page.context().close();
});

async function asAnn(hash: string, password = ann.password): Promise<ConsolePage> {
  const hers = await ConsolePage.open(browser, project);
  await hers.page.goto(hers.url(hash));
  await hers.signIn(ann.username, password);
  return hers;
}

describe('the list', () => {
  it('has the members of all kinds with administrators, and shows hostile names as text', async () => {
    await page.goto(opened.url());
    await page.getByRole('link', { name: 'Members', exact: true }).click();
    for (const name of ['admin', 'ann', 'eve']) await main().getByRole('gridcell', { name, exact: true }).waitFor();
    await main().getByText(EVIL).waitFor();
    await main().getByText('3 members').waitFor();
    expect(await opened.accessibilityFaults()).toEqual([]);
    await opened.screenshot('members');
    expect(complaints).toEqual([]);
  });

  it('finds by name and e-mail, also in one kind, and opens a member', async () => {
    await page.getByRole('searchbox', { name: 'Find by name or e-mail' }).fill('ANN@');
    await page.keyboard.press('Enter');
    await main().getByText('1 member', { exact: true }).waitFor();
    await page.getByRole('combobox', { name: 'Kind' }).click();
    await page.getByRole('option', { name: 'Person' }).click();
    await vi.waitFor(() => expect(page.url()).toContain('kind=person'));
    await main().getByRole('link', { name: 'ann', exact: true }).click();
    await main().getByRole('heading', { name: 'ann', level: 1 }).waitFor();
  });
});

it('says how others than administrators become members', async () => {
  const fresh = await service.project();
  await defineKinds(fresh, { id: 'customer', label: 'Customer' });
  const alone = await ConsolePage.signedIn(browser, fresh);
  await alone.page.goto(alone.url('#/members'));
  await main(alone.page).getByText('So far only administrators are members').waitFor();
  expect(await alone.accessibilityFaults()).toEqual([]);
  await main(alone.page).getByRole('link', { name: 'The group of member kinds' }).click();
  await main(alone.page).getByRole('combobox', { name: 'Kinds' }).click();
  await alone.page.getByRole('option', { name: 'Customer' }).click();
  await alone.page.keyboard.press('Escape');
  await alone.page.getByRole('button', { name: 'Review and save' }).click();
  await alone.page.getByRole('dialog', { name: 'What will change' }).getByRole('button', { name: 'Save' }).click();
  await alone.page.getByText('The model is changed').waitFor();
  await alone.page.getByRole('link', { name: 'Members', exact: true }).click();
  await main(alone.page).getByRole('button', { name: 'New member' }).click();
  await alone.page.getByRole('menuitem', { name: 'Customer' }).waitFor();
  expect(await main(alone.page).getByText('So far only administrators are members').count()).toBe(0);
  await alone.context.close();
});

describe('a new member', () => {
  it('is created by a form that shows what is wrong at the fields, and gets a mail', async () => {
    await page.goto(opened.url('#/members'));
    await page.getByRole('button', { name: 'New member' }).click();
    await page.getByRole('menuitem', { name: 'Person' }).click();
    await main().getByText('MAIL_URL is not set').waitFor();
    // Nobody but the member knows the password.
    expect(await page.getByLabel('Password', { exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'Create' }).click();
    expect(await main().getByText('A value is needed').count()).toBe(2);
    await page.getByRole('textbox', { name: 'Username' }).fill('ann');
    await page.getByRole('textbox', { name: 'E-mail' }).fill('no address');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.locator('.mantine-TextInput-root', { hasText: /E-mail.*Must be an e-mail address/s }).waitFor();
    expect(await opened.accessibilityFaults()).toEqual([]);
    await page.getByRole('textbox', { name: 'Username' }).fill('bob');
    await page.getByRole('textbox', { name: 'E-mail' }).fill('bob@example.com');
    await page.getByRole('button', { name: 'Create' }).click();
    await main().getByRole('heading', { name: 'bob', level: 1 }).waitFor();
    await main().getByText('Has never signed in').waitFor();
    await mailbox.last('bob@example.com');
    expect(realComplaints()).toEqual([]);
  });

  it('gets another mail, of which is said that it is not sent', async () => {
    await main().getByRole('button', { name: 'Mail to set a password' }).click();
    await page.getByText('The mail to bob@example.com was written to the outbox: it is not sent.').waitFor();
    await mailbox.last('bob@example.com', 2);
  });

  it('is deleted', async () => {
    await main().getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/^Delete “.+”\?$/).waitFor();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await vi.waitFor(() => expect(page.url()).toMatch(/#\/members$/));
    await main().getByText('3 members').waitFor();
  });

  it('who is an administrator is deleted', async () => {
    const content = { username: 'second', email: 'second@example.com' };
    const id = await createdId(project.post('/kind_admin/unit', content));
    await page.goto(opened.url(`#/members/kind_admin/${id}`));
    await main().getByRole('heading', { name: 'second', level: 1 }).waitFor();
    await main().getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await main().getByRole('heading', { name: 'Members', level: 1 }).waitFor();
    expect((await project.get(`/kind_admin/unit/${id}`)).status).toBe(404);
  });
});

describe('the sessions of a member', () => {
  it('are listed, and ended one by one or all', async () => {
    const hers = await asAnn('#/account/sign-in');
    await section('Sessions', hers.page).getByText('this one').waitFor();
    await page.goto(opened.url(`#/members/person/${ann.id}`));
    const sessions = section('Sessions').getByRole('row');
    await vi.waitFor(async () => expect(await sessions.count()).toBe(3));
    const text = await section('Sessions').innerText();
    for (const token of [ann.accessToken, ann.refreshToken]) expect(text).not.toContain(token);
    expect(await opened.accessibilityFaults()).toEqual([]);
    await opened.screenshot('member');
    await section('Sessions')
      .getByRole('button', { name: /^End the session of .*Chrome/ })
      .click();
    await vi.waitFor(async () => expect(await sessions.count()).toBe(2));
    await hers.page.reload();
    await hers.page.getByRole('button', { name: 'Sign in' }).waitFor();
    await section('Sessions').getByRole('button', { name: 'Sign out everywhere' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('API keys stay valid').waitFor();
    // It fades in.
    await vi.waitFor(async () => expect(await opened.accessibilityFaults()).toEqual([]), 10_000);
    await dialog.getByRole('button', { name: 'Sign out everywhere' }).click();
    await section('Sessions').getByText('There are none.').waitFor();
    expect((await project.as(ann.accessToken).get('/auth/me')).status).toBe(401);
    expect(complaints).toEqual([]);
  });
});

describe('API keys', () => {
  it('are made by a form, shown once, and revoked', async () => {
    await page.goto(opened.url(`#/members/person/${eve.id}`));
    await section('API keys').getByText('There are none.').waitFor();
    await section('API keys').getByRole('button', { name: 'New API key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('switch', { name: 'Only some kinds and operations' }).check();
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('A value is needed').waitFor();
    await dialog.getByText('Choose kinds and operations').waitFor();
    expect(await opened.accessibilityFaults()).toEqual([]);
    await dialog.getByRole('textbox', { name: 'Name' }).fill(EVIL);
    await dialog.getByRole('combobox', { name: 'Kinds' }).click();
    await page.getByRole('option', { name: 'Order' }).click();
    await page.getByRole('option', { name: EVIL }).waitFor();
    await page.getByRole('option', { name: 'The model as a file' }).waitFor();
    await page.keyboard.press('Escape');
    await dialog.getByRole('combobox', { name: 'Operations' }).click();
    await page.getByRole('option', { name: 'read', exact: true }).click();
    await page.keyboard.press('Escape');
    await dialog.getByLabel('Ends at').fill('2001-01-01T00:00');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('This is in the past').waitFor();
    await dialog.getByLabel('Ends at').fill('2999-01-01T00:00');
    await opened.screenshot('new-key');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('Copy it now: it is not shown again.').waitFor();
    expect(await opened.accessibilityFaults()).toEqual([]);
    await opened.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await dialog.getByRole('button', { name: 'Copy' }).click();
    await dialog.getByRole('button', { name: 'Copied' }).waitFor();
    const secret = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(secret).toMatch(new RegExp(`^kind_${project.id}_.{43}$`));
    const byKey = project.as(secret);
    expect((await ok(byKey.get('/auth/me'))) as object).toMatchObject({ id: eve.id });
    expect((await byKey.get('/order/unit')).status).toBe(200);
    expect((await byKey.get('/evil/unit')).status).toBe(403);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await section('API keys').getByRole('row').nth(1).getByText('read: Order').waitFor();
    expect(await page.content()).not.toContain(secret);
    await page.reload();
    await section('API keys').getByText(EVIL).waitFor();
    expect(await page.content()).not.toContain(secret);
    await section('API keys')
      .getByRole('button', { name: `Edit the key ${EVIL}` })
      .click();
    const edit = page.getByRole('dialog', { name: 'Edit the API key' });
    expect(await edit.getByLabel('Ends at').inputValue()).toBe('2999-01-01T00:00');
    await edit.getByRole('textbox', { name: 'Name' }).fill('Robot');
    await edit.getByRole('switch', { name: 'Only some kinds and operations' }).uncheck();
    await edit.getByLabel('Ends at').fill('');
    expect(await opened.accessibilityFaults()).toEqual([]);
    await edit.getByRole('button', { name: 'Save' }).click();
    await section('API keys')
      .getByRole('row', { name: /^Robot .* all that the member may never/ })
      .waitFor();
    expect((await byKey.get('/evil/unit')).status).toBe(200);
    await section('API keys').getByRole('button', { name: 'Revoke the key Robot' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await section('API keys').getByText('There are none.').waitFor();
    expect((await byKey.get('/auth/me')).status).toBe(401);
    expect(complaints).toEqual([]);
  });

  it('of agents say so, and show what was done with them', async () => {
    await section('API keys').getByRole('button', { name: 'New API key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Helper');
    await dialog.getByRole('switch', { name: 'For an agent' }).check();
    await dialog.getByRole('switch', { name: 'The agent may write' }).check();
    await dialog.getByRole('button', { name: 'Create' }).click();
    const secret = await dialog.getByRole('textbox', { name: 'Key' }).inputValue();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await section('API keys').getByText('agent, reads and writes: all that the member may').waitFor();
    const params = { name: 'list_units', arguments: { kind: 'order' } };
    const called = await fetch(`${new URL(opened.url('')).origin}/api/lib/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    });
    expect(called.status).toBe(200);
    await section('API keys').getByRole('button', { name: 'Calls with the key Helper' }).click();
    await page
      .getByRole('dialog')
      .getByRole('row', { name: /list_units order \d+ done/ })
      .waitFor();
    expect(await opened.accessibilityFaults()).toEqual([]);
    await page.keyboard.press('Escape');
    await section('API keys').getByRole('button', { name: 'Revoke the key Helper' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await section('API keys').getByText('There are none.').waitFor();
    expect(complaints).toEqual([]);
  });
});

describe('a member who is no administrator', () => {
  it('sees its own account, changes name and password, and signs out elsewhere', async () => {
    const [hers, elsewhere] = [await asAnn('#/account'), await asAnn('#/account/sign-in')];
    const her = hers.page;
    await section('Sessions', elsewhere.page).getByText('this one').waitFor();
    await section('Name', her).getByRole('textbox', { name: 'First name' }).fill('Anna');
    await section('Name', her).getByRole('button', { name: 'Save' }).click();
    await her.getByText('Saved').waitFor();
    expect(await ok(project.get(`/person/unit/${ann.id}`))).toMatchObject({ first_name: 'Anna' });
    await hers.screenshot('account');
    await main(her)
      .getByRole('link', { name: /password and sessions/ })
      .click();
    await section('Sessions', her).getByRole('button', { name: 'Sign out elsewhere' }).click();
    await vi.waitFor(async () => expect(await section('Sessions', her).getByRole('row').count()).toBe(2));
    await elsewhere.page.reload();
    await elsewhere.page.getByRole('button', { name: 'Sign in' }).waitFor();
    const password = section('Password', her);
    await password.getByLabel('Current password').fill('not this one');
    await password.getByLabel('New password', { exact: true }).fill('short');
    await password.getByLabel('New password again').fill('other');
    await password.getByRole('button', { name: 'Change the password' }).click();
    await password.getByText('At least 8 characters').waitFor();
    await password.getByText('This is not the same as the new password').waitFor();
    for (const name of ['New password', 'New password again']) {
      await password.getByLabel(name, { exact: true }).fill('a longer password');
    }
    await password.getByRole('button', { name: 'Change the password' }).click();
    await password.getByText('The current password is wrong').waitFor();
    expect(await hers.accessibilityFaults()).toEqual([]);
    await password.getByLabel('Current password').fill(ann.password);
    await password.getByRole('button', { name: 'Change the password' }).click();
    await her.getByText('The password is changed.').waitFor();
    expect(await password.getByLabel('Current password').inputValue()).toBe('');
    await hers.screenshot('sign-in');
    const credentials = { username: 'ann', password: 'a longer password' };
    expect((await project.as(undefined).post('/auth/signin', credentials)).status).toBe(200);
  });

  it('sees no other members, and is told so', async () => {
    const hers = await asAnn('#/members', 'a longer password');
    await main(hers.page).getByText('Which members you see is what you may read.').waitFor();
    await main(hers.page).getByRole('gridcell', { name: 'ann', exact: true }).waitFor();
    expect(await main(hers.page).getByText('eve').count()).toBe(0);
    await hers.page.getByRole('button', { name: 'New member', disabled: true }).waitFor();
    await hers.page.goto(hers.url(`#/members/person/${eve.id}`));
    await main(hers.page).getByText('This member is gone, or you may not read it.').waitFor();
    await hers.page.goto(hers.url(`#/members/person/${ann.id}`));
    await main(hers.page).getByText('This is you').waitFor();
    expect(await hers.page.getByRole('button', { name: 'Mail to set a password' }).count()).toBe(0);
  });
});

it('fits 320 pixels, also in the dark', async () => {
  await page.setViewportSize({ width: 320, height: 640 });
  await page.emulateMedia({ colorScheme: 'dark' });
  for (const hash of [
    '#/members',
    '#/members/person/new',
    `#/members/person/${eve.id}`,
    '#/account',
    '#/account/sign-in',
  ]) {
    await page.goto(opened.url(hash));
    await main().getByRole('heading', { level: 1 }).waitFor();
    expect([hash, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([hash, 320]);
    expect(await opened.accessibilityFaults()).toEqual([]);
  }
});
