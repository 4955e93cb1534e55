/** What the console offers to whom: a reader, a writer by rule, an administrator, and one who is no administrator any more. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { defineKinds, signUp, tokensOf, withMembers } from '../support/callers.js';
import { startChromium } from '../support/chromium.js';
import { ConsolePage } from '../support/console.js';
import { createdId, ok } from '../support/definitions.js';
import { ADMIN, startTestService } from '../support/service.js';

vi.setConfig({ testTimeout: 60_000 });

const service = await startTestService();
const project = await withMembers(await service.project());
const own = 'eq(owner,@member.id)';
await defineKinds(
  project,
  {
    id: 'book',
    label: 'Book',
    access: { create: 'admin', update: 'admin', delete: 'admin' },
    parameters: [
      { id: 'title', label: 'Title', kind_id: 'string' },
      { id: 'owner', label: 'Owner', kind_id: 'unit', reference_kind: 'person' },
    ],
  },
  {
    id: 'note',
    label: 'Note',
    access: { read: own, create: own, update: own, delete: own },
    parameters: ['title', 'owner', { id: 'mark', label: 'Mark', kind_id: 'integer', write_access: 'admin' }],
  },
  { id: 'memo', label: 'Memo', access: { update: own, delete: own }, parameters: ['title', 'owner'] },
  { id: 'letterbox', label: 'Letterbox', access: { read: 'admin', update: 'admin' }, parameters: ['title'] },
  { id: 'vault', label: 'Vault', access: Object.fromEntries(['read', 'create'].map((name) => [name, 'admin'])) },
);
const ann = await signUp(project, 'ann');
const book = await createdId(project.post('/book/unit', { title: 'Emma', owner: ann.id }));
const note = await createdId(project.post('/note/unit', { title: 'Plan', owner: ann.id, mark: 3 }));
const [hers, theirs] = [
  await createdId(project.post('/memo/unit', { title: 'Mine', owner: ann.id })),
  await createdId(project.post('/memo/unit', { title: 'Yours' })),
];
const browser = await startChromium();

async function signedIn(username: string, password: string): Promise<ConsolePage> {
  const opened = await ConsolePage.open(browser, project);
  await opened.page.goto(opened.url());
  await opened.signIn(username, password);
  await menuOf(opened).waitFor();
  return opened;
}
const menuOf = ({ page }: ConsolePage) => page.getByRole('navigation', { name: 'Kinds' });
const mainOf = ({ page }: ConsolePage) => page.getByRole('main');
/** An action that is offered and not possible: the keyboard reaches it, and its reason is its description. */
async function reasonOf(opened: ConsolePage, role: 'button' | 'menuitem', name: string): Promise<string> {
  const action = opened.page.getByRole(role, { name, disabled: true, ...(role === 'button' && { exact: true }) });
  await action.waitFor();
  await action.focus();
  expect(await action.and(opened.page.locator(':focus')).count()).toBe(1);
  await action.press('Enter');
  if (role === 'menuitem') return action.innerText();
  const ids = (await action.getAttribute('aria-describedby')) ?? '';
  return opened.page.locator(`[id="${ids.split(' ')[0] ?? ''}"]`).innerText();
}

const member = await signedIn(ann.username, ann.password);
beforeEach(() => void member.complaints.splice(0));

describe('a reader', () => {
  it('is offered no page of administrators, and no kind with which it may do nothing', async () => {
    const menu = menuOf(member);
    await menu.getByRole('link', { name: 'Book' }).waitFor();
    await menu.getByRole('link', { name: 'Letterbox' }).waitFor();
    expect(await menu.getByRole('link', { name: 'Vault' }).count()).toBe(0);
    expect(await menu.getByRole('link', { name: 'Access' }).count()).toBe(0);
    await member.page.goto(member.url('#/access'));
    await mainOf(member).getByText('Only administrators see who may do what.').waitFor();
  });

  it('is told why the units cannot be changed, also by the keyboard', async () => {
    const { page } = member;
    await page.goto(member.url('#/data/book'));
    await page.getByRole('gridcell', { name: 'Emma' }).waitFor();
    expect(await reasonOf(member, 'button', 'New')).toContain('You may not create units of “Book”');
    await page.getByRole('button', { name: 'Import and export' }).click();
    expect(await reasonOf(member, 'menuitem', 'Import a file')).toContain('You may not create units of “Book”');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'All units' }).click();
    expect(await reasonOf(member, 'menuitem', 'Delete all')).toContain('You may not delete units of “Book”');
    expect(await member.accessibilityFaults()).toEqual([]);
    await page.keyboard.press('Escape');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.getByRole('checkbox', { name: `Select ${book}` }).check();
    expect(await reasonOf(member, 'button', 'Edit')).toContain('You may not change units of “Book”');
    expect(await reasonOf(member, 'button', 'Delete')).toContain('You may not delete units of “Book”');
    await page.getByRole('gridcell', { name: 'Emma' }).dblclick();
    await page.keyboard.press('F2');
    expect(await page.getByRole('textbox', { name: /^Title of/ }).count()).toBe(0);
    expect(await member.accessibilityFaults()).toEqual([]);
    await member.screenshot('reader');
  });

  it('gets the values of a unit in place of a form', async () => {
    const { page } = member;
    await page.goto(member.url(`#/data/book/unit/${book}`));
    await page.getByText('You may read this unit, and not change it.').waitFor();
    await mainOf(member).getByRole('definition').filter({ hasText: 'Emma' }).waitFor();
    await mainOf(member).getByRole('link', { name: 'ann' }).waitFor();
    expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Who may do what' }).count()).toBe(0);
    expect(await reasonOf(member, 'button', 'Duplicate')).toContain('You may not create units of “Book”');
    expect(await member.accessibilityFaults()).toEqual([]);
    await page.goto(member.url('#/data/book/new'));
    await page.getByText('You may not create units of “Book”').waitFor();
  });

  it('reads the model, and is told that it may not change it', async () => {
    const { page } = member;
    await page.goto(member.url('#/model'));
    for (const name of ['New kind', 'New link type', 'New group', 'New parameter']) {
      expect(await reasonOf(member, 'button', name)).toContain('You may not make definitions of this type');
    }
    await page.goto(member.url('#/model/kind/edit/book'));
    await page.getByText('You may not change definitions of this type').waitFor();
    expect(await page.getByRole('textbox', { name: 'Name' }).isDisabled()).toBe(true);
    expect(await page.getByRole('link', { name: 'Access' }).count()).toBe(0);
    expect(await reasonOf(member, 'button', 'Delete')).toContain('You may not delete definitions of this type');
    expect(await member.accessibilityFaults()).toEqual([]);
    await page.goto(member.url('#/members'));
    expect(await reasonOf(member, 'button', 'New member')).toContain('You may not create members');
  });

  it('may create what it may not read', async () => {
    const { page } = member;
    await page.goto(member.url('#/data/letterbox'));
    await page.getByText('You may not read units of “Letterbox”').waitFor();
    await page.getByRole('link', { name: 'New' }).click();
    await page.getByRole('button', { name: 'Create' }).waitFor();
    expect(member.complaints).toEqual([]);
  });
});

describe('a writer by rule', () => {
  it('is told which unit the rule does not let it change', async () => {
    const { page } = member;
    await page.goto(member.url('#/data/memo'));
    await page.getByRole('gridcell', { name: 'Yours' }).dblclick();
    await page.getByText('You may not change this unit.').waitFor();
    await page
      .getByRole('textbox', { name: /^Title of/ })
      .and(page.locator('[readonly]'))
      .waitFor();
    await page.keyboard.press('Escape');
    await page.goto(member.url(`#/data/memo/unit/${theirs}`));
    await page.getByText('You may read this unit, and not change it.').waitFor();
    expect(await page.getByRole('textbox').count()).toBe(0);
    expect(await reasonOf(member, 'button', 'Delete')).toBe('You may not delete this unit.');
    expect(await member.accessibilityFaults()).toEqual([]);
    await page.goto(member.url(`#/data/memo/unit/${hers}`));
    await page.getByLabel('Title').fill('Mine again');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').first().waitFor();
  });

  it('is offered what the rule may let it do, except fields that only administrators set', async () => {
    const { page } = member;
    await page.goto(member.url('#/data/note'));
    await page.getByRole('link', { name: 'New' }).waitFor();
    await page.getByRole('gridcell', { name: '3', exact: true }).dblclick();
    expect(await page.getByRole('textbox', { name: /^Mark of/ }).count()).toBe(0);
    await page.getByRole('gridcell', { name: 'Plan' }).dblclick();
    await page.getByRole('textbox', { name: /^Title of/ }).fill('Plan A');
    await page.keyboard.press('Enter');
    await page.getByRole('gridcell', { name: 'Plan A' }).waitFor();
    await page.goto(member.url(`#/data/note/unit/${note}`));
    await page.getByText('You may read these fields, and not change them.').waitFor();
    await page.getByRole('definition').filter({ hasText: '3' }).waitFor();
    expect(await page.getByRole('textbox', { name: 'Mark' }).count()).toBe(0);
    await page.getByLabel('Title').fill('Plan B');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').first().waitFor();
    expect(await member.accessibilityFaults()).toEqual([]);
    expect((await project.get(`/note/unit/${note}`)).body.content).toMatchObject({ title: 'Plan B', mark: 3 });
  });

  it('whose rights are taken away keeps the form with what is typed, and is told so', async () => {
    const { page } = member;
    await page.getByLabel('Title').fill('Plan C');
    await ok(project.put('/kind/unit/note', { access: { read: own, create: own, update: 'admin', delete: own } }));
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('You may not change units of “Note”').waitFor();
    expect(await page.getByLabel('Title').inputValue()).toBe('Plan C');
    expect(await member.accessibilityFaults()).toEqual([]);
  });
});

it('an administrator is offered everything', async () => {
  const admin = await ConsolePage.signedIn(browser, project);
  const { page } = admin;
  await menuOf(admin).getByRole('link', { name: 'Access' }).waitFor();
  await menuOf(admin).getByRole('link', { name: 'Vault' }).waitFor();
  await page.goto(admin.url('#/data/book'));
  await page.getByRole('link', { name: 'New' }).waitFor();
  await page.getByRole('button', { name: 'All units' }).click();
  await page.getByRole('menuitem', { name: 'Delete all' }).waitFor();
  expect(await page.locator('[aria-disabled=true]').count()).toBe(0);
  await page.goto(admin.url(`#/data/book/unit/${book}`));
  await page.getByRole('link', { name: 'Who may do what' }).waitFor();
  await page.goto(admin.url('#/model'));
  await page.getByRole('link', { name: 'New kind' }).waitFor();
  await admin.context.close();
});

it('who may not read definitions is offered kinds by their ids, and nothing is asked that is refused', async () => {
  for (const id of ['kind', 'group']) await ok(project.put(`/kind/unit/${id}`, { access: { read: 'admin' } }));
  const hers = await signedIn(ann.username, ann.password);
  await menuOf(hers).getByRole('link', { name: 'book', exact: true }).waitFor();
  await mainOf(hers).getByRole('link', { name: 'Emma' }).waitFor();
  expect(await menuOf(hers).getByRole('link', { name: 'string', exact: true }).count()).toBe(0);
  await menuOf(hers).getByRole('link', { name: 'book', exact: true }).click();
  await hers.page.getByRole('gridcell', { name: 'Emma' }).waitFor();
  expect(hers.complaints).toEqual([]);
  await hers.context.close();
  for (const id of ['kind', 'group']) await ok(project.put(`/kind/unit/${id}`, { access: {} }));
});

it('who is no administrator any more signs in again, and is shown what it may do now', async () => {
  const former = await ConsolePage.signedIn(browser, project);
  const { page } = former;
  await page.goto(former.url('#/access'));
  await mainOf(former).getByRole('heading', { name: 'Kinds', exact: true }).waitFor();
  const second = await createdId(project.post('/kind_admin/unit', { username: 'root', email: 'root@example.com' }));
  const root = project.as((await tokensOf(project, 'kind_admin', second)).access_token);
  const { id } = (await ok(project.get('/auth/me'))) as { id: string };
  await ok(root.delete(`/kind_admin/unit/${id}`));
  const person = await signUp(project, ADMIN.username);
  await menuOf(former).getByRole('link', { name: 'Book' }).click();
  const dialog = page.getByRole('dialog', { name: 'Sign in' });
  await dialog.getByLabel('Username or e-mail').fill(person.username);
  await dialog.getByRole('textbox', { name: 'Password' }).fill(person.password);
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('gridcell', { name: 'Emma' }).waitFor();
  await vi.waitFor(async () => expect(await menuOf(former).getByRole('link', { name: 'Access' }).count()).toBe(0));
  expect(await reasonOf(former, 'button', 'New')).toContain('You may not create units of “Book”');
  await page.goto(former.url('#/access'));
  await mainOf(former).getByText('Only administrators see who may do what.').waitFor();
  expect(await mainOf(former).getByRole('table').count()).toBe(0);
  expect(await former.accessibilityFaults()).toEqual([]);
});
