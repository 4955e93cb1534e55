/** The history of a unit at the console: what changed, putting back, and the setting of its kind. */
import { expect, it, vi } from 'vitest';
import { startChromium } from '../support/chromium.js';
import { defineKinds } from '../support/callers.js';
import { ConsolePage } from '../support/console.js';
import { createdId, ok } from '../support/definitions.js';
import { startTestService } from '../support/service.js';

vi.setConfig({ testTimeout: 60_000 });

const service = await startTestService();
const project = await service.project();
await defineKinds(project, {
  id: 'task',
  label: 'Task',
  changes: 'history',
  parameters: [
    { id: 'title', label: 'Title', kind_id: 'string' },
    { id: 'hours', label: 'Hours', kind_id: 'integer' },
  ],
});
const browser = await startChromium();
const opened = await ConsolePage.signedIn(browser, project);
const { page } = opened;

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
