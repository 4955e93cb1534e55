/** Webhooks, used as a person would: made, tried, what was sent, and sent again. */
import { beforeEach, expect, it, vi } from 'vitest';
import { defineKinds } from '../support/callers.js';
import { startChromium } from '../support/chromium.js';
import { ConsolePage, EVIL } from '../support/console.js';
import { ok } from '../support/definitions.js';
import { Receiver } from '../support/receiver.js';
import { startTestService } from '../support/service.js';

vi.setConfig({ testTimeout: 60_000 });

const service = await startTestService({ webhooks: { allow: [], allowPrivate: true, allowHttp: true } });
const project = await service.project();
const receiver = await Receiver.start();
await defineKinds(project, {
  id: 'note',
  label: 'Note',
  changes: 'feed',
  parameters: [{ id: 'title', kind_id: 'string' }],
});
const browser = await startChromium();
const opened = await ConsolePage.signedIn(browser, project);
const { page, complaints } = opened;
beforeEach(() => void complaints.splice(0));

const main = () => page.getByRole('main');
const dialog = () => page.getByRole('dialog');

it('makes a webhook, and shows its secret this one time', async () => {
  await page.goto(opened.url());
  await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
  await main().getByText('This project sends its changes to nobody yet.').waitFor();
  expect(await opened.accessibilityFaults()).toEqual([]);
  await main().getByRole('button', { name: 'New webhook' }).click();
  await dialog().getByRole('button', { name: 'Make the webhook' }).click();
  await dialog().getByText('A value is needed').first().waitFor();
  await dialog().getByRole('textbox', { name: 'Label' }).fill(EVIL);
  await dialog().getByRole('textbox', { name: 'Address' }).fill('https://user@example.com');
  await dialog().getByRole('button', { name: 'Make the webhook' }).click();
  await dialog()
    .getByText(/^Must be without user and password/)
    .waitFor();
  expect(await opened.accessibilityFaults()).toEqual([]);
  await opened.screenshot('webhook-form');
  await dialog().getByRole('textbox', { name: 'Label' }).fill('The ERP');
  await dialog().getByRole('textbox', { name: 'Address' }).fill(receiver.url());
  await dialog().getByRole('button', { name: 'Make the webhook' }).click();
  const secret = await dialog().getByRole('textbox', { name: 'Secret' }).inputValue();
  expect(secret).toMatch(/^whsec_/);
  await dialog().getByRole('button', { name: 'Done' }).click();
  await main()
    .getByRole('row', { name: /^The ERP http.*active 0 never/ })
    .waitFor();
  expect(await page.content()).not.toContain(secret);
  expect(await opened.accessibilityFaults()).toEqual([]);
});

it('shows what was sent, tries it, pauses it, and sends again', async () => {
  receiver.fail(503);
  await ok(project.post('/note/unit', { title: 'one' }));
  await vi.waitFor(() => expect(receiver.received.length).toBeGreaterThan(0), { timeout: 10_000 });
  await main().getByRole('link', { name: 'The ERP' }).click();
  await main().getByRole('cell', { name: 'note.create', exact: true }).waitFor();
  await vi.waitFor(
    async () => {
      await main().getByRole('button', { name: 'Load again' }).click();
      await main().getByText('status 503').first().waitFor({ timeout: 500 });
    },
    { timeout: 10_000 },
  );
  await main().getByRole('button', { name: 'Send a test message' }).click();
  await main().getByText('It was not delivered: status 503.').waitFor();
  receiver.succeed();
  await main().getByRole('button', { name: 'Send a test message' }).click();
  await main()
    .getByText(/^The receiver has answered 204 after \d+ ms\.$/)
    .waitFor();
  await main()
    .getByRole('button', { name: /^Send again: note.create of / })
    .click();
  await vi.waitFor(
    async () => {
      await main().getByRole('button', { name: 'Load again' }).click();
      await main().getByRole('cell', { name: 'delivered', exact: true }).waitFor({ timeout: 500 });
    },
    { timeout: 10_000 },
  );
  expect(await opened.accessibilityFaults()).toEqual([]);
  await opened.screenshot('webhook');
  await main().getByRole('button', { name: 'Pause' }).click();
  await main().getByText('Nothing is sent until it is active again.').waitFor();
  await main().getByRole('button', { name: 'Go on' }).click();
  await main().getByRole('button', { name: 'Pause' }).waitFor();
  await main().getByRole('button', { name: 'New secret' }).click();
  await dialog().getByRole('button', { name: 'New secret' }).click();
  expect(await dialog().getByRole('textbox', { name: 'Secret' }).inputValue()).toMatch(/^whsec_/);
  await dialog().getByRole('button', { name: 'Done' }).click();
  expect(complaints).toEqual([]);
});
