/** The console without a mouse: after each step the focus is at something that has a name. */
import { expect, it, vi } from 'vitest';
import { startChromium } from '../support/chromium.js';
import { ConsolePage } from '../support/console.js';
import { ok } from '../support/definitions.js';
import { ADMIN, startTestService } from '../support/service.js';

vi.setConfig({ testTimeout: 60_000 });

const service = await startTestService();
const browser = await startChromium();

/** Stops of Tab from one end of a page to the other, at most. */
const MOST_STOPS = 80;
/** What has the focus, as a screen reader would call it; empty if it is nowhere. */
const FOCUSED = `(() => {
  const element = document.activeElement;
  if (element === null || element === document.body) return '';
  const { labels, textContent } = element;
  const role = element.getAttribute('role') ?? element.localName;
  return role + ' ' + (element.getAttribute('aria-label') ?? labels?.[0]?.textContent ?? textContent).trim();
})()`;

/** The keys of a person at a page. */
function keysOf({ page }: ConsolePage) {
  const { keyboard } = page;
  const focused = () => page.evaluate<string>(FOCUSED);
  return {
    focused,
    type: (text: string) => keyboard.type(text),
    press: async (...keys: readonly string[]): Promise<void> => {
      for (const key of keys) await keyboard.press(key);
    },
    isAt: (what: RegExp) => expect.poll(focused, { timeout: 15_000, interval: 20 }).toMatch(what),
    goTo: async (what: RegExp, key = 'Tab'): Promise<void> => {
      const passed: string[] = [];
      while (passed.length < MOST_STOPS && !what.test(passed.at(-1) ?? '')) {
        await keyboard.press(key);
        passed.push(await focused());
      }
      expect(passed.at(-1), passed.join('\n')).toMatch(what);
    },
  };
}

it('leads from the sign-in to a kind, a unit, its end, and the sign-out', async () => {
  const project = await service.project();
  const opened = await ConsolePage.open(browser, project);
  const { page } = opened;
  const { type, press, isAt, goTo } = keysOf(opened);
  await page.goto(`${opened.url()}?project=${project.id}`);
  await isAt(/^input Username/);
  expect(await page.title()).toBe('Sign in – Kind');
  await type(ADMIN.username);
  await press('Tab');
  await type(ADMIN.password);
  await press('Enter');
  await isAt(/^h1 Overview$/);

  // The first kind.
  await page.getByRole('main').getByRole('link', { name: 'New kind' }).waitFor();
  await goTo(/^a New kind$/);
  await press('Enter');
  await isAt(/^input Name$/);
  await type('Book');
  for (const name of ['Title', 'Pages']) {
    await goTo(/^button Add a new parameter$/);
    await press('Enter');
    await isAt(/^input Name$/);
    await type(name);
  }
  await goTo(/^combobox Type$/);
  await press('ArrowDown');
  const chosen = page.getByRole('option', { selected: true });
  const offered = page.locator('[role=option][data-combobox-selected]');
  await chosen.waitFor();
  for (let step = 0; step < 20 && !/^Whole number/.test(await offered.innerText()); step += 1) await press('ArrowDown');
  await press('Enter');
  await isAt(/^combobox Type$/);
  await goTo(/^button Review and save$/);
  await press('Enter');
  await isAt(/^button Cancel$/);
  await goTo(/^button Save$/);
  await press('Enter');
  await isAt(/^h1 Book$/);
  expect(await page.title()).toBe('Book – Kind');

  // A unit.
  await goTo(/^a New$/);
  await press('Enter');
  await isAt(/^h1 New: Book$/);
  await goTo(/^input Title$/);
  await type('Emma');
  await press('Tab');
  await type('many');
  await press('Enter');
  await page.getByText('A whole number is needed').waitFor();
  await isAt(/^input Pages$/);
  await press('Control+A');
  await type('474');
  await press('Enter');
  await isAt(/^h1 Emma$/);
  await goTo(/^input Pages$/);
  await press('Control+A');
  await type('475');
  await goTo(/^button Save$/);
  await press('Enter');
  await page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
  await isAt(/^button Save$/);

  // The list.
  await goTo(/^a Book$/);
  await press('Enter');
  await isAt(/^h1 Book$/);
  await goTo(/^input Filter$/);
  await type('gt(pages,474)');
  await press('Enter');
  await page.getByText('All that match').waitFor();
  await isAt(/^input Filter$/);
  await goTo(/^columnheader id$/);
  await press('ArrowDown', 'ArrowRight');
  await isAt(/^gridcell Emma$/);
  await press('Enter');
  await isAt(/^input Title of/);
  await type('?');
  await press('Escape');
  await isAt(/^gridcell Emma$/);
  await press('Space');
  await goTo(/^button Delete$/, 'Shift+Tab');
  await press('Enter');
  await isAt(/^button Cancel$/);
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', disabled: false }).waitFor();
  await goTo(/^button Delete$/);
  await press('Enter');
  await page.getByText('No unit matches.').waitFor();
  await isAt(/^(h1 Book|button Show all)$/);
  expect((await project.get('/book/unit')).body.content).toMatchObject({ count: 0 });

  await goTo(new RegExp(`^button ${ADMIN.username}$`), 'Shift+Tab');
  await press('Enter');
  await isAt(/^menuitem /);
  await press('ArrowUp');
  await isAt(/^menuitem Sign out$/);
  await press('Enter');
  await isAt(/^input Username/);
  expect(opened.complaints.filter((complaint) => !/401|400/.test(complaint))).toEqual([]);
});

it('goes on beside what is gone', async () => {
  const project = await service.project();
  const parameters = [
    { id: 'title', kind_id: 'string' },
    { id: 'printed', kind_id: 'date' },
    { id: 'notes', kind_id: 'json' },
  ];
  await ok(project.post('/kind/unit', { id: 'book', label: 'Book', parameters }));
  await ok(project.post('/book/unit', [{ title: 'Emma' }, { title: 'Ulysses' }]));
  const opened = await ConsolePage.signedIn(browser, project);
  const { page } = opened;
  const { press, isAt, goTo, type, focused } = keysOf(opened);
  const show = async (hash: string, heading: string): Promise<void> => {
    await page.goto(opened.url(hash));
    await isAt(new RegExp(`^h1 ${heading}$`));
  };
  const use = async (what: RegExp): Promise<void> => {
    await goTo(what);
    await press('Enter');
  };

  // Conditions of a filter: the next one, the one before, and the button that adds one.
  await show('#/data/book', 'Book');
  await page.getByRole('gridcell', { name: 'Emma' }).waitFor();
  await use(/^button Conditions$/);
  await use(/^button Add a condition$/);
  await press('Enter');
  const conditions = page.getByRole('group', { name: 'Conditions' });
  const left = () => conditions.getByRole('combobox', { name: 'Field' }).count();
  await expect.poll(left).toBe(2);
  await goTo(/^button Remove this condition$/, 'Shift+Tab');
  await press('Enter');
  await expect.poll(left).toBe(1);
  await isAt(/^button Remove this condition$/);
  await press('Enter');
  await expect.poll(left).toBe(0);
  await isAt(/^button Add a condition$/);

  // A grid in another order.
  await goTo(/^columnheader id$/);
  await press('ArrowRight', 'Enter');
  await isAt(/^columnheader title.*↑$/i);

  // Fields that keep no key for themselves.
  await show('#/data/book/new', 'New: Book');
  await goTo(/^input printed$/i);
  await type('01312026');
  await press('Tab');
  await isAt(/^textarea notes$/i);
  await type('{}');
  await press('Tab');
  await isAt(/^textarea metadata$/i);
  // It asks before what is typed is left.
  page.once('dialog', (question) => void question.accept());

  // Parameters that change places, and go.
  await show('#/model/kind/edit/book', 'Book');
  await use(/^button Add a new parameter$/);
  await isAt(/^input Name$/);
  await type('Pages');
  await goTo(/^button Move Pages up$/);
  await press('Enter');
  await isAt(/^button Move Pages up$/);
  await goTo(/^button Move Pages down$/);
  await press('Enter');
  await isAt(/^button Move Pages down$/);
  await use(/^button Remove Pages$/);
  await isAt(/^button Remove notes$/i);

  // A dialog whose opener is gone with what it was about.
  await show('#/account', 'Your account');
  for (const name of ['one', 'two']) {
    await use(/^button New API key$/);
    await isAt(/^input Name/);
    await type(name);
    await press('Enter');
    await isAt(/^input Key$/);
    await goTo(/^button Done$/);
    await press('Enter');
    await isAt(/^button New API key$/);
  }
  for (const [name, next] of [
    ['one', 'Revoke the key two'],
    ['two', 'New API key'],
  ] as const) {
    await page.getByRole('button', { name: `Revoke the key ${name}` }).focus();
    await press('Enter');
    await isAt(/^button Cancel$/);
    await use(/^button Revoke$/);
    await page.getByRole('button', { name: `Revoke the key ${name}` }).waitFor({ state: 'detached' });
    await isAt(new RegExp(`^button ${next}$`));
  }

  // What is wrong is shown at a password too.
  await show('#/account/sign-in', 'Your sign-in');
  await goTo(/^button Change the password$/);
  await press('Enter');
  await isAt(/^input Current password$/);
  expect(await focused()).not.toBe('');
  expect(opened.complaints).toEqual([]);
});
