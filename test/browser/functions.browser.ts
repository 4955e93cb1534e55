/** Functions and the way to the API document, used as a person would. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Followers } from '../../src/changes/follow/followers.js';
import { defineKinds, signUp, withMembers } from '../support/callers.js';
import { startChromium } from '../support/chromium.js';
import { ConsolePage, EVIL } from '../support/console.js';
import { createdId, ok } from '../support/definitions.js';
import { FunctionsFolder, reload } from '../support/functions.js';
import { ADMIN, startTestService } from '../support/service.js';
import { sideConnection } from '../support/side-connection.js';

vi.setConfig({ testTimeout: 60_000 });

const NOTE = `
import { kind, FunctionError } from 'kind';
const note = kind('note');
const greet = note.function({
  description: 'Says hello',
  parameters: {
    name: { type: 'string', required: true, max_length: 10, helper_text: 'Who is greeted' },
    times: { type: 'integer', default: 1, max_value: 5 },
    tags: { type: 'string', multiple: true },
  },
  returns: { texts: { type: 'string', multiple: true } },
  run: ({ parameters: { name, times, tags } }) => ({ texts: [...Array.from({ length: times }, () => 'Hello ' + name), ...(tags ?? [])] }),
});
const refuse = note.function({
  description: ${JSON.stringify(EVIL)},
  methods: ['POST'],
  access: 'admin',
  parameters: { why: { type: 'string', label: ${JSON.stringify(EVIL)} } },
  run: ({ parameters: { why } }) => { throw new FunctionError(409, 'note.refused', 'Because of ' + why, 'why'); },
});
const words = note.unitFunction({
  description: 'Counts the words', methods: ['GET'],
  run: ({ unit: { text } }) => String(text).split(' ').length,
});
const paid = note.endpoint({ description: 'Payments', methods: ['POST', 'PUT'], run: () => undefined });
export default note.module({ endpoints: { paid }, functions: { greet, refuse }, unitFunctions: { words }, hooks: { before_create: () => undefined } });`;

const PARCEL = `
import { kind } from 'kind';
const parcel = kind('parcel');
const count = parcel.function({ description: 'Counts the parcels', schedule: '0 3 1 1 *', run: ({ parameters }) => {} });
export default parcel.module({
  functions: { count },
  hooks: { after_commit: ({ event }) => { if (event.unit.title === 'broken') throw new Error('No carrier'); } },
});`;

const folder = new FunctionsFolder({ 'note.ts': NOTE, 'parcel.ts': PARCEL });
const service = await startTestService({ functionsDir: folder.path, serverTiming: 'administrators' });
const project = await withMembers(await service.project());
await defineKinds(
  project,
  {
    id: 'note',
    label: 'Note',
    parameters: [
      { id: 'title', kind_id: 'string' },
      { id: 'text', kind_id: 'text' },
    ],
  },
  { id: 'evil', label: EVIL },
  { id: 'parcel', label: 'Parcel', changes: 'feed', parameters: [{ id: 'title', kind_id: 'string' }] },
);
await ok(project.post('/note/unit', { title: 'First', text: 'one two three' }));
const ann = await signUp(project, 'ann');
const side = await sideConnection();
const schema = `"project_${project.id}"`;
const tasks = `${schema}._task`;
const browser = await startChromium();

const opened = await ConsolePage.signedIn(browser, project);
const { page, complaints } = opened;
beforeEach(() => void complaints.splice(0));

const main = () => page.getByRole('main');
const call = () => main().getByRole('button', { name: 'Call', exact: true }).click();
const answer = () => page.getByRole('region', { name: 'Answer' });

it('lists functions by kind with what they say of themselves, and hostile texts as text', async () => {
  await page.goto(opened.url());
  await page.getByRole('link', { name: 'Functions', exact: true }).click();
  await main().getByText('Says hello').waitFor();
  await main().getByText(EVIL).waitFor();
  await main().getByRole('cell', { name: 'before_create' }).waitFor();
  const endpoints = main().getByRole('region', { name: 'Endpoints for other services' });
  await endpoints.getByText('Anyone may call them').waitFor();
  const address = `${service.service.url}/api/lib/project/${project.id}/hook/note/paid`;
  await endpoints.getByRole('row', { name: `note.paid POST, PUT ${address}` }).waitFor();
  expect(await opened.accessibilityFaults()).toEqual([]);
  await opened.screenshot('functions');
  await page.goto(opened.url('#/access'));
  await main().getByText('endpoint note.paid').waitFor();
  await endpoints.getByText(address).waitFor();
  await endpoints.getByRole('cell', { name: 'strangers may write' }).waitFor();
  expect(await opened.accessibilityFaults()).toEqual([]);
  await endpoints.scrollIntoViewIfNeeded();
  await opened.screenshot('access-endpoints');
  expect(complaints).toEqual([]);
});

describe('a function', () => {
  it('is called by a form made of its signature, by either method', async () => {
    await page.goto(opened.url('#/functions'));
    await main().getByRole('link', { name: 'greet' }).click();
    await main().getByText('greet(name: string, times?: integer, tags?: string[]): { texts: string[] }').waitFor();
    await main().getByText('Who may call it: Every member').waitFor();
    await call();
    await main().getByText('A value is needed').waitFor();
    await page.getByRole('textbox', { name: 'name' }).fill('Ada');
    await page.getByRole('textbox', { name: 'times' }).fill('2');
    await call();
    await answer().getByText('"Hello Ada"').first().waitFor();
    await main()
      .getByText(/^Status 200, after \d+ ms$/)
      .waitFor();
    await main()
      .getByText(/^Server-Timing: .*dur=/)
      .waitFor();
    expect(await opened.accessibilityFaults()).toEqual([]);
    await opened.screenshot('function');
    await page.getByText('POST', { exact: true }).click();
    await page.getByRole('textbox', { name: 'times' }).fill('1');
    await call();
    await vi.waitFor(async () => expect(JSON.parse(await answer().innerText())).toEqual({ texts: ['Hello Ada'] }));
    expect(complaints).toEqual([]);
  });

  it('shows what the service refuses at its field, and keeps what was typed', async () => {
    await page.goto(opened.url('#/functions/note/kind/greet'));
    await page.getByRole('textbox', { name: 'name' }).fill('Ada');
    await page.getByRole('textbox', { name: 'times' }).fill('9');
    await call();
    await page.locator('.mantine-TextInput-root', { hasText: /^times.*At most 5/s }).waitFor();
    expect(await page.getByRole('textbox', { name: 'times' }).inputValue()).toBe('9');
    await main()
      .getByText(/^Status 400/)
      .waitFor();
    await page.goto(opened.url('#/functions/note/kind/refuse'));
    await page.getByRole('textbox', { name: EVIL }).fill(EVIL);
    await call();
    await main().getByText(`Because of ${EVIL}`, { exact: true }).first().waitFor();
    expect(await opened.accessibilityFaults()).toEqual([]);
    // The browser counts a refusal as an error.
    expect(complaints.filter((each) => !each.includes('status of'))).toEqual([]);
  });

  it('of a unit asks for the unit', async () => {
    await page.goto(opened.url('#/functions/note/unit/words'));
    await call();
    await main().getByText('Choose a unit').waitFor();
    const unit = page.getByRole('combobox', { name: 'Unit' });
    await unit.and(page.locator(':focus')).waitFor();
    await unit.fill('Fir');
    await page.getByRole('option', { name: 'First' }).click();
    await call();
    await vi.waitFor(async () => expect(await answer().innerText()).toBe('3'));
  });

  it('fits 320 pixels, also in the dark', async () => {
    await page.setViewportSize({ width: 320, height: 640 });
    await page.emulateMedia({ colorScheme: 'dark' });
    for (const hash of ['#/functions', '#/functions/note/kind/greet']) {
      await page.goto(opened.url(hash));
      await main().getByText('Says hello').waitFor();
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
      expect(await opened.accessibilityFaults()).toEqual([]);
    }
    await page.emulateMedia({ colorScheme: null });
    await page.setViewportSize({ width: 1280, height: 800 });
  });
});

it('with a schedule is run now, and its runs are shown', async () => {
  await page.goto(opened.url('#/functions/parcel/kind/count'));
  await main()
    .getByText(/^0 3 1 1 \* \(UTC\)\. It runs next at Jan 1, /)
    .waitFor();
  await main().getByRole('button', { name: 'Run now' }).click();
  const runs = main().getByRole('table', { name: 'Latest runs' });
  await vi.waitFor(
    async () => {
      await main().getByRole('button', { name: 'Load again' }).click();
      await runs.getByRole('cell', { name: 'done', exact: true }).waitFor({ timeout: 500 });
    },
    { timeout: 10_000 },
  );
  folder.write('parcel.ts', PARCEL.replace('({ parameters }) => {}', `() => { throw new Error('No list'); }`));
  await reload(service);
  await main().getByRole('button', { name: 'Run now' }).click();
  await vi.waitFor(
    async () => {
      await main().getByRole('button', { name: 'Load again' }).click();
      await runs.getByRole('row', { name: /failed parcel\.ts:4: No list$/ }).waitFor({ timeout: 500 });
    },
    { timeout: 10_000 },
  );
  expect(await opened.accessibilityFaults()).toEqual([]);
  await opened.screenshot('function-runs');
  folder.write('parcel.ts', PARCEL);
  await reload(service);
  expect(complaints).toEqual([]);
});

describe('what failed after a commit', () => {
  const section = () => main().getByRole('region', { name: 'Failures after a commit' });
  const loadUntil = (row: RegExp) =>
    vi.waitFor(
      async () => {
        // As if it were the last attempt, and its time had come.
        await side.rows(`UPDATE ${tasks} SET attempts = 9, next_at = now() WHERE state = 'waiting'`);
        await service.service.app.get(Followers).poll();
        await main().getByRole('button', { name: 'Load again' }).click();
        await section().getByRole('row', { name: row }).waitFor({ timeout: 500 });
      },
      { timeout: 20_000 },
    );

  it('is listed with its unit and its place in the module, and tried again', async () => {
    await page.goto(opened.url('#/functions'));
    await main().getByText('Says hello').waitFor();
    expect(await section().count()).toBe(0);
    const id = await createdId(project.post('/parcel/unit', { title: 'broken' }));
    await loadUntil(new RegExp(`Parcel ${id} created 10 parcel\\.ts:7: No carrier`));
    expect(await section().getByRole('link', { name: id }).getAttribute('href')).toBe(`#/data/parcel/unit/${id}`);
    expect(await opened.accessibilityFaults()).toEqual([]);
    await section().scrollIntoViewIfNeeded();
    await opened.screenshot('failures');
    folder.write('parcel.ts', PARCEL.replace('broken', 'never'));
    await reload(service);
    await section()
      .getByRole('button', { name: `Try again: ${id} of Parcel, created` })
      .click();
    await page.getByText('It is tried again, up to ten times.').waitFor();
    await section().waitFor({ state: 'detached' });
    await vi.waitFor(async () => expect(await side.rows(`SELECT FROM ${tasks}`)).toEqual([]), { timeout: 10_000 });
    folder.write('parcel.ts', PARCEL);
    await reload(service);
    expect(complaints).toEqual([]);
  });

  it('whose change is no longer kept can be discarded alone', async () => {
    await ok(project.post('/parcel/unit', { title: 'broken' }));
    await loadUntil(/created 10 parcel\.ts/);
    await side.rows(`DELETE FROM ${schema}._change WHERE seq IN (SELECT seq FROM ${tasks})`);
    await section()
      .getByRole('button', { name: /^Try again: / })
      .click();
    await section()
      .getByText('This change is no longer kept, so that it cannot be tried again. What is left is to discard it.')
      .waitFor();
    await page.setViewportSize({ width: 320, height: 640 });
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
    expect(await opened.accessibilityFaults()).toEqual([]);
    await section().scrollIntoViewIfNeeded();
    await opened.screenshot('failures-narrow');
    await page.emulateMedia({ colorScheme: null });
    await page.setViewportSize({ width: 1280, height: 800 });
    await section()
      .getByRole('button', { name: /^Discard: / })
      .click();
    const dialog = page.getByRole('dialog', { name: 'Discard this failure?' });
    await dialog.getByRole('button', { name: 'Discard' }).click();
    await section().waitFor({ state: 'detached' });
    expect(((await ok(project.get('/function/failure'))) as { count: number }).count).toBe(0);
    // The browser counts a refusal as an error.
    expect(complaints.filter((each) => !each.includes('status of 409'))).toEqual([]);
  });
});

it('opens the API document with the session of the console, without a token in the address', async () => {
  await page.goto(opened.url('#/functions'));
  const [document] = await Promise.all([
    opened.context.waitForEvent('page'),
    main().getByRole('link', { name: 'API document' }).click(),
  ]);
  opened.watch(document);
  await document.getByText(`Signed in to ${project.id} as admin`).waitFor();
  expect(document.url()).toBe(`${service.service.url}/api/lib/doc/swaggerui#project=${project.id}`);
  // The console goes on with the cookie that the page has renewed.
  await page.reload();
  await main().getByText('Says hello').waitFor();
  await document.reload();
  await document.getByText(`Signed in to ${project.id} as admin`).waitFor();
  expect(complaints).toEqual([]);
  // A token that is no longer good is replaced.
  await document.evaluate(`session.access = 'no longer good'`);
  await document.selectOption('#tag', 'Functions');
  await document.locator('.opblock-summary').first().click();
  await document.getByRole('button', { name: 'Execute' }).click();
  await document.getByText('has been replaced: send the call again').waitFor();
  await document.getByRole('button', { name: 'Sign out' }).click();
  await document.getByText(`What anyone may do in ${project.id}`).waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  await opened.signIn(ADMIN.username, ADMIN.password);
  await main().getByText('Says hello').waitFor();
  await document.reload();
  await document.getByText(`Signed in to ${project.id} as admin`).waitFor();
  await document.close();
});

it('shows what anyone may do where the console has no session', async () => {
  const stranger = await ConsolePage.open(browser, project);
  await stranger.page.goto(`${service.service.url}/api/lib/doc/swaggerui#project=${project.id}`);
  await stranger.page.getByText(`What anyone may do in ${project.id}`).waitFor();
});

it('tells members who are no administrators what they may call alone', async () => {
  const hers = await ConsolePage.open(browser, project);
  await hers.page.goto(hers.url('#/functions'));
  await hers.signIn(ann.username, ann.password);
  await hers.page.getByRole('link', { name: 'greet' }).waitFor();
  expect(await hers.page.getByRole('link', { name: 'refuse' }).count()).toBe(0);
  expect(await hers.page.getByText('Modules').count()).toBe(0);
  await hers.page.getByRole('link', { name: 'greet' }).click();
  await hers.page.getByText('You may. Who else may is shown to administrators.').waitFor();
});

it('says what is broken and where', async () => {
  folder.write('note.ts', 'const fine = 1;\nconst broken = ;\n');
  await reload(service);
  await page.goto(opened.url('#/functions/note/kind/greet'));
  await page.reload();
  await main().getByText('There is no such function').waitFor();
  await main().getByRole('link', { name: 'All functions' }).click();
  const alert = main().getByRole('alert');
  await alert.getByText('note.ts, line 2').waitFor();
  expect(await alert.innerText()).not.toContain(folder.path);
  expect(await opened.accessibilityFaults()).toEqual([]);
  await opened.screenshot('functions-broken');
});
