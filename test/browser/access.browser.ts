/** The pages of the console about access, used as a person would. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { anonymous, defineKinds, signUp, withMembers } from '../support/callers.js';
import { startChromium } from '../support/chromium.js';
import { ConsolePage, EVIL } from '../support/console.js';
import { ok } from '../support/definitions.js';
import { startTestService } from '../support/service.js';

vi.setConfig({ testTimeout: 60_000 });

const service = await startTestService();
const project = await withMembers(await service.project());
const [ada, bob] = [await signUp(project, 'ada'), await signUp(project, 'bob')];
await defineKinds(
  project,
  {
    id: 'note',
    label: 'Note',
    parameters: [
      { id: 'owner', kind_id: 'unit', reference_kind: 'person' },
      { id: 'title', kind_id: 'string' },
      { id: 'salary', kind_id: 'integer', read_access: 'eq(owner,@member.id)' },
    ],
    access: { read: 'eq(owner,@member.id)', update: 'admin', delete: 'admin', link: 'admin', function: 'admin' },
  },
  { id: 'evil', label: EVIL, access: { read: 'admin', create: 'admin', update: 'admin', delete: 'admin' } },
);
await ok(project.post('/link/unit', { id: 'likes', label: 'Likes', access: { create: 'admin' } }));
const notes = [
  { owner: ada.id, title: 'Paint' },
  { owner: ada.id, title: 'Draw' },
  { owner: bob.id, title: 'Sing' },
];
await ok(project.post('/note/unit', notes));
const browser = await startChromium();

const opened = await ConsolePage.signedIn(browser, project);
const { page, complaints } = opened;
const url = (hash: string) => opened.url(hash);
beforeEach(() => void complaints.splice(0));

const kinds = () => page.getByRole('group', { name: 'Kinds', exact: true });

describe('the matrix', () => {
  it('shows who may do what, and what strangers may do in words and in red', async () => {
    await page.getByRole('link', { name: 'Access', exact: true }).click();
    await kinds().getByRole('link', { name: 'Note, Read: eq(owner,@member.id)' }).waitFor();
    const create = kinds().getByRole('link', { name: 'Note, Create: Members' });
    expect(await create.textContent()).toContain('strangers may write');
    expect(await create.locator('..').getAttribute('data-stranger')).toBe('writes');
    const color = await page.evaluate("getComputedStyle(document.querySelector('.access-stranger')).color");
    expect(color).toMatch(/^rgb\((1[5-9]|2)\d+, [2-6]\d, [2-6]\d\)$/);
    expect(await kinds().getByRole('link', { name: 'Note, Update' }).textContent()).not.toContain('strangers');
    await page.getByText('Strangers may write: ').waitFor();
    await page.getByText('Anyone can sign up as person').waitFor();
    // Hostile names are shown.
    await kinds().locator('th', { hasText: EVIL }).waitFor();
    expect(await opened.accessibilityFaults()).toEqual([]);
    await opened.screenshot('access');
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await opened.accessibilityFaults()).toEqual([]);
    await opened.screenshot('access-dark');
    await page.emulateMedia({ colorScheme: 'light' });
    expect(complaints).toEqual([]);
  });

  it('has built-in kinds folded away, and finds by name', async () => {
    await page.goto(url('#/access'));
    await page.getByRole('button', { name: 'Show built-in kinds' }).click();
    const builtIn = page.getByRole('group', { name: 'Built-in kinds' });
    await builtIn.getByRole('link', { name: 'kind_admin, Read: Administrators' }).waitFor();
    expect(await opened.accessibilityFaults()).toEqual([]);
    await page.getByRole('searchbox', { name: 'Find by name' }).fill('note');
    await expect.poll(() => kinds().getByRole('row').count()).toBe(2);
    await page.getByRole('group', { name: 'Parameters' }).getByRole('link', { name: 'note.salary, Read' }).waitFor();
  });

  it('is for administrators', async () => {
    const other = await ConsolePage.open(browser, project);
    await other.page.goto(other.url('#/access'));
    await other.signIn('ada', ada.password);
    await other.page.getByText('Only administrators see who may do what.').waitFor();
    await other.page.goto('about:blank');
    await other.page.goto(other.url('#/access/kind/note/read'));
    await other.page.getByText('Only administrators see who may do what.').waitFor();
    expect(await other.accessibilityFaults()).toEqual([]);
  });

  it('of 200 kinds renders a part of them at first, and finds in all', { timeout: 240_000 }, async () => {
    const large = await service.project();
    const ids = Array.from({ length: 200 }, (_, at) => ({ id: `thing_${at}`, label: `Thing ${at}` }));
    await defineKinds(large, ...ids);
    const other = await ConsolePage.signedIn(browser, large);
    await other.page.goto(other.url('#/access'));
    // By role it takes seconds to find something among so many links.
    await other.page.locator('.access-table tbody tr').nth(99).waitFor();
    expect(await other.page.locator('.access-table').first().locator('tbody tr').count()).toBe(100);
    await other.page.getByRole('button', { name: 'Show 101 more' }).click();
    await other.page.locator('.access-table tbody tr').nth(199).waitFor();
    await other.page.getByRole('searchbox', { name: 'Find by name' }).fill('thing 19');
    await expect.poll(() => other.page.getByRole('row', { name: /Thing 19/ }).count()).toBe(11);
    await expect.poll(() => other.page.getByRole('row', { name: /Thing/ }).count()).toBe(11);
    expect((await anonymous(large).get('/kind/access')).status).toBe(401);
  });
});

/** Radio buttons of Mantine are beside what is seen of them. */
const choose = (name: string) => page.getByRole('radio', { name, exact: true }).check({ force: true });
const save = () => page.getByRole('button', { name: 'Review and save' }).click();
const dialog = (name: string) => page.getByRole('dialog', { name });

describe('the editor of an operation', () => {
  it('says where a rule is wrong while it is typed, and shows whom it would let see what', async () => {
    await page.goto(url('#/access'));
    await kinds().getByRole('link', { name: 'Note, Read' }).click();
    await page.getByRole('heading', { name: 'Note: Read' }).waitFor();
    const preview = page.getByRole('region', { name: 'With which units' });
    await preview.getByText('May do this with 0 units (now 0).').waitFor();
    const rule = page.getByRole('textbox', { name: 'Rule 1' });
    await rule.fill('eq(titel,Sing)');
    await page.getByText("no parameter 'titel' in 'note' (did you mean 'title'?), at character 4").waitFor();
    expect(await page.locator('.access-place mark').textContent()).toBe('t');
    await preview.getByText('Shown when the rules can be stored.').waitFor();
    expect(await opened.accessibilityFaults()).toEqual([]);
    await opened.screenshot('access-fault');
    await rule.fill('eq(title,Sing)');
    await page.getByText('What is typed can be stored.').waitFor();
    await preview.getByRole('combobox', { name: 'Who' }).click({ force: true });
    await page.getByRole('option', { name: 'Person' }).click();
    for (const [name, count, now, units] of [
      ['bob', '1 unit', 1, ['Sing']],
      ['ada', '1 unit', 2, ['Sing']],
    ] as const) {
      await preview.getByRole('combobox', { name: 'Member' }).fill(name);
      // What is chosen stays among what is offered.
      await expect.poll(async () => (await page.getByRole('option').allTextContents()).at(-1)).toBe(name);
      await page.getByRole('option', { name }).click();
      await preview.getByText(`May do this with ${count} (now ${now}).`).waitFor();
      expect(await preview.getByRole('listitem').allTextContents()).toEqual(units);
    }
    await page.getByRole('button', { name: 'Add a rule' }).click();
    await page.getByRole('textbox', { name: 'Rule 2' }).fill('eq(owner');
    await page
      .locator('div', { has: page.getByRole('textbox', { name: 'Rule 2' }) })
      .getByText('at character')
      .first()
      .waitFor();
    await page.getByRole('textbox', { name: 'Rule 2' }).fill('eq(owner,@member.id)');
    await preview.getByText('May do this with 3 units (now 2).').waitFor();
    expect(await opened.accessibilityFaults()).toEqual([]);
    await opened.screenshot('access-editor');
    await save();
    const review = dialog('What will change');
    await review.getByText('eq(title,Sing)').waitFor();
    expect(await opened.accessibilityFaults()).toEqual([]);
    await review.getByRole('button', { name: 'Save' }).click();
    await kinds()
      .getByRole('link', { name: /^Note, Read: eq\(title,Sing\)/ })
      .waitFor();
    expect((await project.as(bob.accessToken).get('/note/unit')).body.content.count).toBe(1);
    expect((await project.as(ada.accessToken).get('/note/unit')).body.content.count).toBe(3);
  });

  it('warns where strangers gain something, and does not store what is not confirmed', async () => {
    await page.goto(url('#/access/kind/note/delete'));
    await choose('Everyone, also without signing in');
    await save();
    const review = dialog('What will change');
    await review.getByRole('alert').getByText('Strangers gain this:').waitFor();
    await review.getByText('note, Delete, in effect: Administrators → Members, by rule').waitFor();
    expect(await opened.accessibilityFaults()).toEqual([]);
    await opened.screenshot('access-review');
    await review.getByRole('button', { name: 'Cancel' }).click();
    expect((await project.get('/kind/unit/note')).body.content['access']).toMatchObject({ delete: 'admin' });
    // What was chosen is still there, and a page with changes asks before it is left.
    await page.getByRole('radio', { name: 'Everyone' }).isChecked();
    await page.getByRole('link', { name: 'Cancel' }).click();
    await dialog('Leave without saving?').getByRole('button', { name: 'Leave', exact: true }).click();
    await page.getByRole('heading', { name: 'Access', exact: true }).waitFor();
  });

  it('that meets another one shows both', async () => {
    await page.goto(url('#/access/kind/note/update'));
    await choose('Members of the project');
    const { access } = (await project.get('/kind/unit/note')).body.content as { access: object };
    // Another operation is no conflict; the same one is.
    await ok(project.put('/kind/unit/note', { access: { ...access, link: 'nobody', update: 'nobody' } }));
    await save();
    const conflict = dialog('Somebody else has changed this definition');
    await conflict.getByRole('radio', { name: 'Nobody' }).waitFor();
    await conflict.getByRole('radio', { name: 'Members' }).waitFor();
    expect(await opened.accessibilityFaults()).toEqual([]);
    await conflict.getByRole('button', { name: 'Use these values' }).click();
    await dialog('What will change').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Access', exact: true }).waitFor();
    const stored = (await project.get('/kind/unit/note')).body.content['access'];
    expect(stored).toMatchObject({ update: 'member', link: 'nobody' });
  });

  it('says why strangers are meant to do it', async () => {
    await page.goto(url('#/access/kind/note/create'));
    await page.getByRole('textbox', { name: 'Why strangers are meant to do it' }).fill('a wall for all');
    expect(await opened.accessibilityFaults()).toEqual([]);
    await opened.screenshot('access-accepted');
    await save();
    await dialog('What will change').getByRole('button', { name: 'Save' }).click();
    const create = kinds().getByRole('link', { name: 'Note, Create: Members default accepted: a wall for all' });
    await create.waitFor();
    expect(await create.locator('..').getAttribute('data-stranger')).toBe('reads');
    expect((await project.get('/kind/unit/note')).body.content['accepted']).toEqual({ create: 'a wall for all' });
  });

  it('goes on by itself where somebody else has changed another operation', async () => {
    await page.goto(url('#/access/kind/note/update'));
    await choose('Administrators');
    await ok(project.put('/kind/unit/note', { label: 'Notes' }));
    await save();
    await dialog('What will change').getByRole('button', { name: 'Save' }).click();
    await kinds().getByRole('link', { name: 'Notes, Update: Administrators' }).waitFor();
    await ok(project.put('/kind/unit/note', { label: 'Note' }));
  });

  it('is for link types and parameters too', async () => {
    await page.goto(url('#/access/link/likes/create'));
    await choose('Whom a rule lets in, and administrators');
    await page.getByRole('textbox', { name: 'Rule 1' }).fill('eq(owner,@member.id)');
    await page.getByText("begins with 'parent.' or 'child.'").waitFor();
    await page.getByRole('textbox', { name: 'Rule 1' }).fill('eq(parent.owner,@member.id)');
    await page.getByText('What is typed can be stored.').waitFor();
    await save();
    await dialog('What will change').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'Likes, Create: eq(parent.owner,@member.id)' }).waitFor();
    await page.getByRole('link', { name: 'note.salary, Read' }).click();
    // With the units of a kind that has it.
    const preview = page.getByRole('region', { name: 'With which units' });
    await preview.getByRole('combobox', { name: 'Who' }).click({ force: true });
    await page.getByRole('option', { name: 'Person' }).click();
    await preview.getByRole('combobox', { name: 'Member' }).fill('ada');
    await page.getByRole('option', { name: 'ada' }).click();
    await preview.getByText('May do this with 2 units (now 2).').waitFor();
    await choose('Administrators');
    await preview.getByText('May do this with 0 units (now 2).').waitFor();
    expect(await opened.accessibilityFaults()).toEqual([]);
    await save();
    await dialog('What will change').getByText('salary, Read').first().waitFor();
    await dialog('What will change').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'note.salary, Read: Administrators' }).waitFor();
    expect((await project.get('/integer/unit/salary')).body.content['read_access']).toBe('admin');
    expect(complaints.filter((each) => !each.includes('status of 4'))).toEqual([]);
  });

  it('checks rules of kinds that nobody may read, too', async () => {
    await ok(
      project.post('/kind/unit', { id: 'closed', label: 'Closed', parameters: ['title'], access: { read: 'nobody' } }),
    );
    await page.goto(url('#/access/kind/closed/read'));
    await page.getByText("You may not read units of 'closed'").waitFor();
    await choose('Whom a rule lets in, and administrators');
    await page.getByRole('textbox', { name: 'Rule 1' }).fill('eq(titel,x)');
    await page.getByText("no parameter 'titel'").waitFor();
    await page.getByRole('textbox', { name: 'Rule 1' }).fill('eq(title,x)');
    await page.getByText('What is typed can be stored.').waitFor();
    await save();
    await dialog('What will change').getByRole('button', { name: 'Save' }).click();
    await kinds().getByRole('link', { name: 'Closed, Read: eq(title,x)' }).waitFor();
  });

  it('shows hostile names as text', async () => {
    await page.goto(url('#/access/kind/evil/read'));
    await page.getByRole('heading', { name: `${EVIL}: Read` }).waitFor();
    await choose('Everyone, also without signing in');
    await save();
    await dialog('What will change').getByRole('alert').waitFor();
    await dialog('What will change').getByRole('button', { name: 'Cancel' }).click();
    expect(complaints).toEqual([]);
    // A form with changes does not let go of its page.
    await page.goto('about:blank');
  });
});

describe('why a member may do something with a unit', () => {
  const find = (name: string) => page.getByRole('row', { name: new RegExp(`^${name}`) });

  it('is on the page of the unit, for a stranger and for members', async () => {
    await ok(project.put('/kind/unit/note', { access: { read: 'eq(owner,@member.id)', update: 'admin' } }));
    await ok(project.put('/link/unit/likes', { access: { create: 'eq(parent.owner,@member.id)' } }));
    const song = (await project.get('/note/unit?filter=eq(title,Sing)')).body.content.items?.[0]?.['id'] as string;
    await page.goto(url(`#/data/note/unit/${song}`));
    await page.getByRole('link', { name: 'Who may do what' }).click();
    await page.getByRole('heading', { name: 'Who may do what with “Sing”' }).waitFor();
    await find('Read').getByText('Because no rule lets in requests without a token.').waitFor();
    expect(await find('Read').textContent()).toContain('No');
    await page.getByRole('combobox', { name: 'Who' }).click({ force: true });
    await page.getByRole('option', { name: 'Person' }).click();
    await page.getByRole('combobox', { name: 'Member' }).fill('bob');
    await expect.poll(async () => (await page.getByRole('option').allTextContents()).at(-1)).toBe('bob');
    await page.getByRole('option', { name: 'bob' }).click();
    await find('Read').getByText('Because the rule eq(owner,@member.id) holds.').waitFor();
    expect(await find('Read').textContent()).toContain('Yes');
    expect(await find('Update').textContent()).toContain("Because the stored level 'admin' keeps out this member.");
    await find('Create links “Likes” from it')
      .getByRole('cell', { name: 'Depends on the other unit', exact: true })
      .waitFor();
    await page.getByText('Parameters that may be read: ').waitFor();
    expect(await opened.accessibilityFaults()).toEqual([]);
    await opened.screenshot('access-why');
    // The address has the member.
    await page.goto(page.url().replace(/member=.*/, `member=${ada.id}`));
    await find('Read').getByText('Because no rule holds.').waitFor();
    expect(complaints).toEqual([]);
  });

  it('is told to administrators only', async () => {
    const other = await ConsolePage.open(browser, project);
    await other.page.goto(other.url(`#/why/person/${ada.id}`));
    await other.signIn('ada', ada.password);
    await other.page.getByText('Only administrators see who may do what.').waitFor();
    expect(await other.accessibilityFaults()).toEqual([]);
  });
});

it('fits a telephone', async () => {
  await page.setViewportSize({ width: 320, height: 640 });
  for (const hash of ['#/access', '#/access/kind/note/read', `#/why/person/${ada.id}`]) {
    await page.goto(url(hash));
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect([hash, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([hash, 320]);
  }
});
