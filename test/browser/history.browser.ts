/**
 * Recorded changes at the console: grids and units that say what has changed elsewhere, the history of a unit, putting
 * back, and the setting of the kind.
 */
import type { Page, Route } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Waiting } from '../../src/changes/waiting/waiting.js';
import { startChromium } from '../support/chromium.js';
import { defineKinds } from '../support/callers.js';
import { ConsolePage } from '../support/console.js';
import { createdId, ok } from '../support/definitions.js';
import { startTestService } from '../support/service.js';

vi.setConfig({ testTimeout: 60_000 });

const service = await startTestService();
const project = await service.project();
const parameters = [
  { id: 'title', label: 'Title', kind_id: 'string' },
  { id: 'hours', label: 'Hours', kind_id: 'integer' },
];
await defineKinds(
  project,
  { id: 'task', label: 'Task', changes: 'history', parameters },
  { id: 'note', label: 'Note', changes: 'feed', parameters: ['title', 'hours'] },
);
const browser = await startChromium();
const opened = await ConsolePage.signedIn(browser, project);
const { page } = opened;
beforeEach(() => void opened.complaints.splice(0));

/** Streams that the service has open, of all tabs. */
const streams = () => service.service.app.get(Waiting).size;
const create = (title: string, hours = 1) => createdId(project.post('/note/unit', { title, hours }));
const showGrid = async (on: Page = page, query = ''): Promise<void> => {
  await on.goto(opened.url(`#/data/note?order=title;asc${query}`));
  await on.getByRole('grid').waitFor();
};
const whenFollowed = async (on: Page = page): Promise<void> => {
  await on.getByRole('grid').waitFor();
  await vi.waitFor(() => expect(streams()).toBe(1), 10_000);
};
const hint = (count: number, on: Page = page) => on.getByRole('button', { name: `${count} changed · Show` });
const cellOf = (name: string, on: Page = page) => on.getByRole('gridcell', { name, exact: true });
const changeAndSee = async (id: string, values: object, count: number, on: Page = page): Promise<void> => {
  await ok(project.put(`/note/unit/${id}`, values));
  await hint(count, on).waitFor();
};

/** Another address of the console alone would leave the page as it is. */
const leave = async (): Promise<void> => {
  await page.goto('about:blank');
  await vi.waitFor(() => expect(streams()).toBe(0), 10_000);
};

describe('a grid', () => {
  afterEach(leave);

  it('says what has changed elsewhere, and moves nothing until it is asked to', async () => {
    const [first, second, third] = [await create('b first'), await create('c second'), await create('d third')];
    await showGrid();
    await whenFollowed();
    await cellOf('c second').click();
    await page.keyboard.press('F2');
    const editor = page.getByLabel(/^Title of /);
    await editor.fill('c typed');
    const place = await editor.boundingBox();
    await changeAndSee(second, { hours: 7 }, 1);
    // A window that gets the focus loads nothing either.
    await page.evaluate(`window.dispatchEvent(new Event('visibilitychange'))`);
    await create('a before all');
    await hint(2).waitFor();
    await ok(project.delete(`/note/unit/${first}`));
    await hint(3).waitFor();
    // Nothing has moved, and what is typed is there.
    expect(await editor.boundingBox()).toEqual(place);
    expect(await editor.inputValue()).toBe('c typed');
    expect(await page.getByRole('row').count()).toBe(4);
    await opened.screenshot('grid-changed');
    await page.keyboard.press('Escape');
    expect(await opened.accessibilityFaults()).toEqual([]);
    await page.setViewportSize({ width: 320, height: 640 });
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
    expect(await opened.accessibilityFaults()).toEqual([]);
    await opened.screenshot('grid-changed-narrow');
    const grid = await page.getByRole('grid').boundingBox();
    await hint(3).click();
    await page.getByRole('button', { name: 'Load again' }).waitFor();
    expect(await page.getByRole('grid').boundingBox()).toEqual(grid);
    await page.emulateMedia({ colorScheme: null });
    await page.setViewportSize({ width: 1280, height: 800 });
    await cellOf('a before all').waitFor();
    await cellOf('7').waitFor();
    expect(await page.getByText('b first').count()).toBe(0);
    await page.getByText('3 units', { exact: true }).waitFor();
    // One's own edit is not told; that of somebody else after it is.
    await whenFollowed();
    await cellOf('d third').dblclick();
    await editor.fill('d mine');
    await page.keyboard.press('Enter');
    await cellOf('d mine').waitFor();
    await changeAndSee(second, { hours: 8 }, 1);
    expect(await ok(project.get(`/note/unit/${third}`))).toMatchObject({ title: 'd mine' });
    await hint(1).click();
    await cellOf('8').waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it('has one stream with the other tabs of the member, whichever of them is closed', async () => {
    const id = await create('e shared');
    await showGrid();
    await whenFollowed();
    const other = opened.watch(await opened.context.newPage());
    await showGrid(other, '&filter=gt(hours,0)');
    await cellOf('e shared', other).waitFor();
    const third = opened.watch(await opened.context.newPage());
    await third.goto(opened.url(`#/data/note/unit/${id}`));
    await third.getByRole('button', { name: 'Save' }).waitFor();
    await ok(project.put(`/note/unit/${id}`, { hours: 20 }));
    await third.getByRole('button', { name: 'Changed elsewhere · Show' }).waitFor();
    await hint(1).waitFor();
    await hint(1, other).waitFor();
    expect(streams()).toBe(1);
    await page.goto('about:blank');
    await hint(1, other).click();
    await cellOf('20', other).waitFor();
    await vi.waitFor(() => expect(streams()).toBe(1), 10_000);
    await changeAndSee(id, { hours: 30 }, 1, other);
    await Promise.all([other.close(), third.close()]);
    await vi.waitFor(() => expect(streams()).toBe(0), 10_000);
    expect(opened.complaints).toEqual([]);
  });

  it('of a page that nobody sees is not followed, and says what it has missed', async () => {
    const id = await create('f hidden');
    const hidden = opened.watch(await opened.context.newPage());
    await hidden.clock.install();
    await showGrid(hidden);
    await vi.waitFor(async () => {
      await hidden.clock.runFor(500);
      expect(streams()).toBe(1);
    }, 10_000);
    const see = (isHidden: boolean) =>
      hidden.evaluate(
        `Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true }); document.dispatchEvent(new Event('visibilitychange'))`,
      );
    await see(true);
    await vi.waitFor(async () => {
      await hidden.clock.runFor(10_000);
      expect(streams()).toBe(0);
    }, 20_000);
    await ok(project.put(`/note/unit/${id}`, { hours: 40 }));
    await see(false);
    await vi.waitFor(async () => {
      await hidden.clock.runFor(500);
      await hint(1, hidden).waitFor({ timeout: 200 });
    }, 10_000);
    await hidden.close();
    expect(opened.complaints).toEqual([]);
  });

  const ended = (code: string) => ({
    contentType: 'text/event-stream',
    body: `retry: 200\n\nevent: end\ndata: {"code":"${code}","text":""}\n\n`,
  });
  const refused = (status: number, code: string) => ({
    status,
    json: { content: null, messages: [{ code, text: code }] },
  });
  it.each([
    ['server.stopping', ended('server.stopping')],
    ['stream.old', ended('stream.old')],
    ['token.expired', ended('token.expired')],
    ['a refusal, as too many streams are open', refused(429, 'stream.too_many')],
    ['a refusal, as the service is busy', refused(503, 'server.busy')],
    ['a broken connection', undefined],
  ])('goes on after %s', async (_, answer) => {
    const id = await create('g goes on');
    await page.route('**/api/lib/live', (route: Route) => (answer ? route.fulfill(answer) : route.abort()), {
      times: 1,
    });
    await showGrid();
    await whenFollowed();
    await changeAndSee(id, { hours: 50 }, 1);
    expect(await page.getByRole('alert').count()).toBe(0);
    await hint(1).click();
    await ok(project.delete(`/note/unit/${id}`));
    // The browser counts a refusal as an error.
    expect(opened.complaints.filter((each) => !/status of (429|503)|ERR_FAILED/.test(each))).toEqual([]);
  });

  it.each([
    ['token.revoked', ended('token.revoked')],
    ['a refusal', refused(403, 'access.denied')],
  ])('works as before after %s, and opens no other stream by itself', async (_, answer) => {
    let opens = 0;
    await page.route('**/api/lib/live', async (route: Route) => {
      opens += 1;
      await route.fulfill(answer);
    });
    await showGrid();
    await vi.waitFor(() => expect(opens).toBe(1), 10_000);
    const id = await create('h quiet');
    await page.getByRole('button', { name: 'Load again' }).click();
    await cellOf('h quiet').waitFor();
    await vi.waitFor(() => expect(opens).toBe(2), 10_000);
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.unroute('**/api/lib/live');
    await ok(project.delete(`/note/unit/${id}`));
  });
});

it('a unit says that it was changed elsewhere, and keeps what is typed', async () => {
  const id = await create('Unit');
  await page.goto(opened.url(`#/data/note/unit/${id}`));
  const show = page.getByRole('button', { name: 'Changed elsewhere · Show' });
  const title = page.getByLabel('Title');
  await title.waitFor();
  await vi.waitFor(() => expect(streams()).toBe(1), 10_000);
  await ok(project.put(`/note/unit/${id}`, { title: 'Of somebody else' }));
  await show.waitFor();
  await opened.screenshot('unit-changed');
  await show.click();
  await vi.waitFor(async () => expect(await title.inputValue()).toBe('Of somebody else'), 10_000);
  await show.waitFor({ state: 'detached' });
  await vi.waitFor(() => expect(streams()).toBe(1), 10_000);
  // One's own change is not told.
  await title.fill('Mine');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved').waitFor();
  await title.fill('Typed');
  const place = await title.boundingBox();
  await ok(project.put(`/note/unit/${id}`, { title: 'Theirs' }));
  await page.getByText('This unit was changed elsewhere. When you save, you choose between both.').waitFor();
  expect(await show.count()).toBe(0);
  expect([await title.inputValue(), await title.boundingBox()]).toEqual(['Typed', place]);
  expect(await opened.accessibilityFaults()).toEqual([]);
  await page.setViewportSize({ width: 320, height: 640 });
  await page.emulateMedia({ colorScheme: 'dark' });
  await opened.screenshot('unit-changed-narrow');
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
  await page.emulateMedia({ colorScheme: null });
  await page.setViewportSize({ width: 1280, height: 800 });
  await title.fill('Mine');
  await ok(project.delete(`/note/unit/${id}`));
  await show.click();
  await page.getByText('This unit is gone, or you may not read it.').waitFor();
  await leave();
  expect(opened.complaints.filter((each) => !each.includes('status of 404'))).toEqual([]);
});

it('shows who changed what, and puts it back', async () => {
  const id = await createdId(project.post('/task/unit', { title: 'Write', hours: 1 }));
  await ok(project.put(`/task/unit/${id}`, { title: 'Rewrite', hours: 2 }));
  await page.goto(opened.url(`#/data/task/unit/${id}`));
  await page.getByRole('button', { name: 'History' }).click();
  await page.getByText('Title: Write → Rewrite').waitFor();
  await page.getByText('Hours: 1 → 2').waitFor();
  expect(await opened.accessibilityFaults()).toEqual([]);
  await opened.screenshot('history');
  await page.getByRole('button', { name: /^Put back the version of / }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Put back' }).click();
  await page.getByText('Title: Rewrite → Write').waitFor();
  await vi.waitFor(async () => expect(await page.getByLabel('Title').inputValue()).toBe('Write'), 10_000);
  expect(await ok(project.get(`/task/unit/${id}`))).toMatchObject({ title: 'Write', hours: 1 });
  expect(opened.complaints).toEqual([]);
});

it('the form of a kind says that its history would be deleted', async () => {
  await page.goto(opened.url('#/model/kind/edit/task'));
  await page.getByLabel('Days of history').fill('30');
  await page.getByRole('combobox', { name: 'Changes' }).click();
  await page.getByRole('option', { name: 'Nothing' }).click();
  await page.getByText('The history of its units will be deleted.').waitFor();
  expect(await opened.accessibilityFaults()).toEqual([]);
  await page.getByRole('button', { name: 'Review and save' }).click();
  await page.getByText('3 versions in the history of “Task (task)”').waitFor();
  await page.getByRole('button', { name: 'Save, and lose this' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await vi.waitFor(
    async () => expect(await ok(project.get('/kind/unit/task'))).toMatchObject({ changes: 'none' }),
    10_000,
  );
  expect(opened.complaints).toEqual([]);
});
