/** Several people at the same data: two editors of one unit, and a member whom rules show only what is theirs. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { defineKinds, signUp, withMembers } from '../support/callers.js';
import { startChromium } from '../support/chromium.js';
import { ConsolePage } from '../support/console.js';
import { createdId } from '../support/definitions.js';
import { startTestService } from '../support/service.js';

vi.setConfig({ testTimeout: 60_000 });

const service = await startTestService();
const project = await withMembers(await service.project());
const own = 'eq(owner,@member.id)';
await defineKinds(project, {
  id: 'note',
  label: 'Note',
  access: { read: own, create: own, update: own, delete: own },
  parameters: [
    { id: 'title', label: 'Title', kind_id: 'string', search: 'simple' },
    { id: 'pages', label: 'Pages', kind_id: 'integer' },
    { id: 'owner', label: 'Owner', kind_id: 'unit', reference_kind: 'person' },
  ],
});
const ann = await signUp(project, 'ann');
const bob = await signUp(project, 'bob');
const note = (title: string, pages: number, owner: string) =>
  createdId(project.post('/note/unit', { title, pages, owner }));
const plan = await note('Plan', 1, ann.id);
await note('List', 2, ann.id);
const secret = await note('Treasure', 40, bob.id);
const browser = await startChromium();

const signedIn = async (username: string, password: string): Promise<ConsolePage> => {
  const opened = await ConsolePage.open(browser, project);
  await opened.page.goto(opened.url());
  await opened.signIn(username, password);
  await opened.page.getByRole('navigation', { name: 'Kinds' }).waitFor();
  return opened;
};
const admin = await ConsolePage.signedIn(browser, project);
const member = await signedIn(ann.username, ann.password);
beforeEach(() => void [admin, member].forEach(({ complaints }) => complaints.splice(0)));

describe('a member with rules', () => {
  it('sees only what is theirs: in the grid, its count, search, charts, the overview, and at addresses', async () => {
    const { page } = member;
    await page.goto(member.url('#/data/note'));
    await page.getByText('2 units', { exact: true }).waitFor();
    await page.getByRole('gridcell', { name: 'Plan' }).waitFor();
    expect(await page.getByText('Treasure').count()).toBe(0);
    await page.goto(member.url('#/data/note?search=treasure'));
    await page.getByText('No unit matches.').waitFor();
    await page.goto(member.url('#/data/note?filter=gt(pages,1)'));
    await page.getByText('1 unit', { exact: true }).waitFor();
    await page.goto(member.url('#/charts/note?measure=sum&of=pages&by=title&as=table'));
    await page.getByRole('row', { name: /^List 2/ }).waitFor();
    expect(await page.getByRole('row').count()).toBe(3);
    await page.goto(member.url('#/'));
    await page
      .getByRole('region', { name: 'Kinds' })
      .getByRole('row', { name: /^Note 2 / })
      .waitFor();
    expect(await page.getByText('Treasure').count()).toBe(0);
    await page.goto(member.url(`#/data/note/unit/${secret}`));
    await page.getByText('This unit is gone, or you may not read it').waitFor();
    expect(await page.getByText('Treasure').count()).toBe(0);
    expect(await member.accessibilityFaults()).toEqual([]);
    // The administrator sees all.
    await admin.page.goto(admin.url('#/data/note'));
    await admin.page.getByText('3 units', { exact: true }).waitFor();
  });

  it('is told by the form what the rule refuses, and keeps what was typed', async () => {
    const { page } = member;
    await page.goto(member.url('#/data/note/new'));
    await page.getByLabel('Title').fill('For nobody');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('main').getByRole('alert').first().waitFor();
    expect(await page.getByLabel('Title').inputValue()).toBe('For nobody');
    expect((await project.get('/note/unit?filter=eq(title,"For nobody")')).body.content.count).toBe(0);
  });
});

describe('two editors of one unit', () => {
  it('lose nothing: the second is shown both versions, and chooses', async () => {
    const address = `#/data/note/unit/${plan}`;
    // The form of the test before asks whether it may be left.
    member.page.once('dialog', (question) => void question.accept());
    await Promise.all([admin.page.goto(admin.url(address)), member.page.goto(member.url(address))]);
    await admin.page.getByRole('textbox', { name: 'Pages' }).fill('7');
    await member.page.getByRole('textbox', { name: 'Pages' }).fill('9');
    await member.page.getByLabel('Title').fill('Plan of ann');
    await admin.page.getByRole('button', { name: 'Save' }).click();
    await admin.page.getByText('Saved').first().waitFor();
    await member.page.getByRole('button', { name: 'Save' }).click();
    const dialog = member.page.getByRole('dialog', { name: 'Somebody else has changed this unit' });
    await dialog.getByRole('radio', { name: '7', exact: true }).waitFor();
    for (const colorScheme of ['dark', 'light'] as const) {
      await member.page.emulateMedia({ colorScheme });
      expect([colorScheme, await member.accessibilityFaults()]).toEqual([colorScheme, []]);
    }
    await dialog.getByRole('radio', { name: '7', exact: true }).click();
    await dialog.getByRole('button', { name: 'Use these values' }).click();
    await member.page.getByRole('heading', { name: 'Plan of ann' }).waitFor();
    const { content } = (await project.get(`/note/unit/${plan}`)).body;
    expect(content).toMatchObject({ title: 'Plan of ann', pages: 7 });
  });
});
