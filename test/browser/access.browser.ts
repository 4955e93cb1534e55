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
    expect(await other.accessibilityFaults()).toEqual([]);
  });

  it('of 200 kinds is there within a second', { timeout: 240_000 }, async () => {
    const large = await service.project();
    const ids = Array.from({ length: 200 }, (_, at) => ({ id: `thing_${at}`, label: `Thing ${at}` }));
    await defineKinds(large, ...ids);
    const other = await ConsolePage.signedIn(browser, large);
    const began = Date.now();
    await other.page.goto(other.url('#/access'));
    await other.page.getByRole('link', { name: 'Thing 99, Read' }).waitFor();
    expect(Date.now() - began).toBeLessThan(5000);
    await other.page.getByRole('searchbox', { name: 'Find by name' }).fill('thing 19');
    await expect.poll(() => other.page.getByRole('row', { name: /Thing 19/ }).count()).toBe(11);
    await expect.poll(() => other.page.getByRole('row', { name: /Thing/ }).count()).toBe(11);
    expect((await anonymous(large).get('/kind/access')).status).toBe(401);
  });
});

it('fits a telephone', async () => {
  await page.setViewportSize({ width: 320, height: 640 });
  for (const hash of ['#/access']) {
    await page.goto(url(hash));
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect([hash, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([hash, 320]);
  }
});
