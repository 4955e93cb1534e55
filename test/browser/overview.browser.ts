/** The page that the console begins with. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { defineKinds, signUp, withMembers } from '../support/callers.js';
import { startChromium } from '../support/chromium.js';
import { ConsolePage, EVIL } from '../support/console.js';
import { createdId, ok } from '../support/definitions.js';
import { startTestService } from '../support/service.js';

vi.setConfig({ testTimeout: 60_000 });

const service = await startTestService();
const project = await withMembers(await service.project());
const name = { id: 'name', label: 'Name', kind_id: 'string' };
await defineKinds(
  project,
  { id: 'city', label: 'City', parameters: [name] },
  { id: 'evil', label: EVIL, parameters: ['name'] },
  { id: 'secret', label: 'Secret', parameters: ['name'], access: { read: 'admin' } },
);
await ok(project.post('/city/unit', [{ name: 'Rome' }, { name: 'Paris' }]));
await ok(project.post('/evil/unit', { name: EVIL }));
/** As wide as many columns. */
const LONG = 'x'.repeat(2000);
await ok(project.post('/evil/unit', { name: LONG }));
await ok(project.post('/secret/unit', { name: 'Treasure' }));
await signUp(project, 'ann');
const browser = await startChromium();
const opened = await ConsolePage.signedIn(browser, project);
const { page, complaints } = opened;
beforeEach(() => void complaints.splice(0));

const region = (title: string, on = page) => on.getByRole('region', { name: title });

describe('the overview', () => {
  it('shows kinds with their units, and what changed last, the newest first', async () => {
    await page.goto(opened.url('#/'));
    await region('Kinds')
      .getByRole('row', { name: /^City 2 / })
      .waitFor();
    await region('Changed lately').getByRole('link', { name: 'Rome' }).waitFor();
    // Hostile names are shown.
    expect(await region('Changed lately').getByRole('link', { name: EVIL }).count()).toBe(2);
    const id = await createdId(project.post('/city/unit', { name: 'Lyon' }));
    await page.getByRole('link', { name: 'City' }).first().click();
    await page.getByText('3 units').waitFor();
    await page.getByRole('link', { name: 'Kind', exact: true }).click();
    await region('Kinds')
      .getByRole('row', { name: /^City 3 / })
      .waitFor();
    const rows = region('Changed lately').getByRole('row');
    expect(await rows.nth(1).textContent()).toContain('Lyon');
    // What was opened last comes first.
    expect(await region('Kinds').getByRole('row').nth(1).textContent()).toContain('City');
    await rows.nth(1).getByRole('link').click();
    await page.getByRole('heading', { name: 'Lyon' }).waitFor();
    expect(page.url()).toContain(id);
    expect(await page.title()).toBe('Lyon – Kind');
    // The link that was followed is gone: whoever uses the keyboard goes on in the page.
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Lyon');
    expect(complaints).toEqual([]);
  });

  it('asks a few questions only, however many kinds there are', async () => {
    const many = Array.from({ length: 30 }, (_, at) => ({ id: `thing_${at}`, label: `Thing ${at}`, parameters: [] }));
    const large = await service.project();
    await defineKinds(large, ...many);
    const other = await ConsolePage.signedIn(browser, large);
    await region('Kinds', other.page).getByText('12 of 31 kinds').waitFor();
    const asked: string[] = [];
    other.page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await other.page.reload();
    await region('Kinds', other.page).getByText('12 of 31 kinds').waitFor();
    await region('Requests of the last hour', other.page).getByRole('img').first().waitFor();
    const calls = asked.filter((path) => path.startsWith('/api/lib'));
    expect(calls.length).toBeLessThan(10);
    expect(other.complaints).toEqual([]);
    await other.context.close();
  });

  it('shows administrators the requests of the project, drawn and as a table', async () => {
    await page.goto(opened.url('#/'));
    const load = region('Requests of the last hour');
    await load.getByRole('img', { name: 'Requests per minute by Minute' }).locator('path').first().waitFor();
    await load.getByText('Values as a table').or(load.locator('summary')).first().click();
    const table = load.getByRole('region', { name: 'Values: Requests per minute by Minute' });
    const counts = await table.getByRole('row').locator('td:first-of-type').allTextContents();
    expect(Math.max(...counts.map(Number))).toBeGreaterThan(0);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect([colorScheme, await opened.accessibilityFaults()]).toEqual([colorScheme, []]);
    }
    await opened.screenshot('overview');
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
    // A long name does not take the place of others.
    const row = region('Changed lately').getByRole('row', { name: LONG });
    expect((await row.boundingBox())?.height).toBeLessThan(60);
    await page.setViewportSize({ width: 1280, height: 800 });
    expect(complaints).toEqual([]);
  });

  it('shows a member what is theirs, and no numbers of the project', async () => {
    const theirs = await ConsolePage.open(browser, project);
    await theirs.page.goto(theirs.url());
    await theirs.signIn('ann', 'secret of ann');
    await region('Kinds', theirs.page)
      .getByRole('row', { name: /^City 3 / })
      .waitFor();
    await region('Changed lately', theirs.page).getByRole('link', { name: 'Lyon' }).waitFor();
    expect(await theirs.page.getByText('Treasure').count()).toBe(0);
    expect(await region('Requests of the last hour', theirs.page).count()).toBe(0);
    expect(await theirs.accessibilityFaults()).toEqual([]);
    await theirs.context.close();
  });
});
