/** The documentation page, used as a person would: sign in, look, try calls. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { anonymous, defineKinds } from '../support/callers.js';
import { defineMany } from '../support/large-model.js';
import { startChromium } from '../support/chromium.js';
import { FunctionsFolder } from '../support/functions.js';
import { codeIn, Mailbox, setOtp, temporaryFolder } from '../support/mailbox.js';
import { ADMIN, startTestService } from '../support/service.js';

const CITY = `
import { kind } from 'kind';
const city = kind('city');
export default city.module({
  functions: {
    larger: city.function({
      description: 'The names of the cities with more people, the largest first',
      parameters: { than: { type: 'integer', required: true, helper_text: 'People' } },
      run: async ({ units, parameters }) => {
        const { items } = await units('city').list({ filter: \`gt(population,\${parameters.than})\`, order: ['population;desc'] });
        return items.map(({ name }) => name);
      },
    }),
  },
});`;
const CITY_KIND = {
  id: 'city',
  label: 'City',
  parameters: [
    { id: 'name', kind_id: 'string', required: true, max_length: 100, helper_text: 'As its people write it' },
    { id: 'population', kind_id: 'integer', min_value: 0 },
    { id: 'size', kind_id: 'string', values: ['small', 'large'], default_string: 'small' },
  ],
};
const EVIL = '<img src=x onerror=alert(1)><script>alert(2)</script>[x](javascript:alert(3))';

const folder = new FunctionsFolder({ 'city.ts': CITY });
const dataDir = temporaryFolder();
const mailbox = new Mailbox(dataDir);
const service = await startTestService({ functionsDir: folder.path, dataDir });
const project = await service.project();
const browser = await startChromium();
const SCREENS = join(import.meta.dirname, '../../.data/screens');

let page: Page;
/** What the browser complained of: broken rules of the content security policy among it. */
const complaints: string[] = [];

beforeAll(async () => {
  mkdirSync(SCREENS, { recursive: true });
  await defineKinds(project, {
    id: 'evil',
    label: EVIL,
    parameters: [{ id: 'evil', kind_id: 'string', label: EVIL, helper_text: EVIL }],
  });
  await defineKinds(project, CITY_KIND);
  await defineKinds(project, {
    id: 'ticket',
    parameters: [{ id: 'number', kind_id: 'string', is_primary: true, pattern: '^[A-Z]{2}[0-9]{4}$' }],
  });
  page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  page.setDefaultTimeout(15_000);
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('dialog', (dialog) => {
    complaints.push(`${dialog.type()}: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('requestfailed', (request) => complaints.push(`${request.url()} ${request.failure()?.errorText ?? ''}`));
  await page.goto(`${service.service.url}/api/lib/doc/swaggerui`);
});

const screen = (name: string) => page.screenshot({ path: join(SCREENS, `${name}.png`) });

/** Opens an operation of a tag; what is in it then. */
async function open(tag: string, method: string, path: string, within = page): Promise<Locator> {
  if ((await within.inputValue('#tag')) !== tag) await within.selectOption('#tag', tag);
  const block = within.locator(`.opblock-${method}:has([data-path="${path}"])`);
  await block.scrollIntoViewIfNeeded();
  if (!(await block.locator('.opblock-body').isVisible())) await block.locator('.opblock-summary').click();
  return block;
}

/** Sends the call of an opened operation; status and body of its answer. */
async function execute(block: Locator): Promise<{ status: string; content: unknown }> {
  await block.locator('button.execute').click();
  const answer = block.locator('.live-responses-table .response').first();
  const status = (await answer.locator('.response-col_status').innerText()).trim();
  const text = await answer.locator('.highlight-code code, pre').first().innerText();
  return { status, content: (JSON.parse(text) as { content: unknown }).content };
}

describe('the documentation page', () => {
  it('shows the generic routes at first', async () => {
    await page.locator('.opblock-tag').first().waitFor();
    expect(await page.locator('.info .title').innerText()).toContain('Kind');
    expect(await page.locator('#status').innerText()).toContain('Name a project');
    await screen('generic');
  });

  it('reports a wrong password', async () => {
    await page.fill('#project', project.id);
    await page.fill('#username', ADMIN.username);
    await page.fill('#password', 'not that one');
    await page.click('#enter');
    await page.locator('#status.bad').waitFor();
    complaints.length = 0; // The browser counts a 401 as an error.
  });

  it('signs in, and shows the kinds of the project', async () => {
    await page.fill('#password', ADMIN.password);
    await page.click('#enter');
    await page.locator('#status.good').waitFor();
    expect(await page.locator('#status').innerText()).toContain(`Signed in to ${project.id} as admin`);
    // A kind of the project stands first, and all of them can be chosen.
    await page.locator('#operations-tag-evil').waitFor();
    expect(await page.locator('#tag option').allInnerTexts()).toEqual(
      expect.arrayContaining(['city', 'ticket', 'Kinds']),
    );
    expect(await page.inputValue('#password')).toBe('');
    await screen('signed-in');
  });

  it('creates a unit', async () => {
    const block = await open('city', 'post', '/api/lib/city/unit');
    expect(JSON.parse(await block.locator('textarea').inputValue())).toEqual({ name: 'name', population: 1 });
    await block.locator('textarea').fill(JSON.stringify({ name: 'Rome', population: 2_800_000 }, null, 2));
    const { status, content } = await execute(block);
    expect(status).toBe('200');
    expect(content).toMatchObject({ name: 'Rome', population: 2_800_000, size: 'small' });
    await screen('created');
  });

  it('has no body that fits a pattern; Swagger UI makes the text, and sends what is typed', async () => {
    const block = await open('ticket', 'post', '/api/lib/ticket/unit');
    const made: unknown = JSON.parse(await block.locator('textarea').inputValue());
    expect(made).toMatchObject({ number: expect.stringMatching(/^[A-Z]{2}\d{4}$/) as string });
    await block.locator('textarea').fill('{ "number": "AA0000" }');
    expect(await execute(block)).toMatchObject({ status: '200', content: { kind_id: 'ticket' } });
  });

  it('lists units', async () => {
    const block = await open('city', 'get', '/api/lib/city/unit');
    const { status, content } = await execute(block);
    expect(status).toBe('200');
    expect(content).toMatchObject({ count: 1, items: [{ name: 'Rome' }] });
    await screen('listed');
  });

  it.each(['get', 'post'])('calls a function by %s', async (method) => {
    const block = await open('city', method, '/api/lib/city/function/larger');
    if (method === 'get') await block.locator('input').first().fill('1000');
    else await block.locator('textarea').fill('{ "than": 1000 }');
    const { status, content } = await execute(block);
    expect([status, content]).toEqual(['200', ['Rome']]);
    await screen(`called-by-${method}`);
  });

  it('shows what users wrote as text', async () => {
    const block = await open('evil', 'post', '/api/lib/evil/unit');
    await block.locator('text=Schema').first().click();
    await block
      .locator('text=Expand all')
      .first()
      .click()
      .catch(() => undefined);
    await screen('evil');
    expect(await page.locator('#operations-tag-evil').innerText()).toContain('<img src=x onerror=alert(1)>');
    expect(await page.locator('#ui img[src="x"], #ui script, #ui a[href^="javascript"]').count()).toBe(0);
  });

  it('shows one tag at a time', async () => {
    for (const tag of ['Authentication', 'Parameters', 'city']) {
      await page.selectOption('#tag', tag);
      await page.locator(`#operations-tag-${tag}`).waitFor();
      expect(await page.locator('.opblock-tag').count()).toBe(1);
    }
  });

  it('shows the tag that was selected last, whichever is loaded first', async () => {
    let release = () => undefined as void;
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/openapi.json?kinds=evil', async (route) => {
      await held;
      await route.continue();
    });
    const late = page.waitForResponse('**/openapi.json?kinds=evil');
    await page.selectOption('#tag', 'evil');
    await page.selectOption('#tag', 'ticket');
    await page.locator('#operations-tag-ticket').waitFor();
    release();
    await (await late).finished();
    // By the answer to another request the page has read the one before.
    await page.evaluate('fetch("openapi.json?kinds=").then((reply) => reply.json())');
    await page.unroute('**/openapi.json?kinds=evil');
    expect(await page.locator('#operations-tag-ticket').count()).toBe(1);
  });

  it('signs out, and then shows what anyone may see', async () => {
    await page.click('#leave');
    await page.locator('#status:has-text("What anyone may do")').waitFor();
    expect(await page.locator('#operations-tag-city').count()).toBe(0);
  });

  it('asks for a mailed code if the project requires it', async () => {
    await setOtp(project, true);
    await page.fill('#username', ADMIN.username);
    await page.fill('#password', ADMIN.password);
    await page.click('#enter');
    await page.locator('#code').waitFor();
    await page.fill('#otp', codeIn(await mailbox.last(ADMIN.email)));
    await page.click('#enter');
    await page.locator('#status.good').waitFor();
    expect(await page.locator('#code').isVisible()).toBe(false);
  });

  it('violates no rule of its policy, loads nothing from other hosts, and stores no token', async () => {
    expect(complaints).toEqual([]);
    const kept = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])');
    expect(kept).not.toContain('eyJ');
  });
});

/** A page of its own, signed in to a project. */
async function visit(projectId: string, viewport = { width: 1280, height: 900 }): Promise<Page> {
  const visitor = await browser.newPage({ viewport });
  visitor.setDefaultTimeout(15_000);
  await visitor.goto(`${service.service.url}/api/lib/doc/swaggerui`);
  await visitor.fill('#project', projectId);
  await visitor.fill('#username', ADMIN.username);
  await visitor.fill('#password', ADMIN.password);
  await visitor.click('#enter');
  await visitor.locator('#status.good').waitFor();
  return visitor;
}

describe('the page of a large project', { timeout: 120_000 }, () => {
  it('works if the document of all kinds would be too large', async () => {
    const large = await service.project();
    await defineMany(large, 462, 395);
    const visitor = await visit(large.id);
    const block = await open('Groups', 'get', '/api/lib/group/unit', visitor);
    expect(await execute(block)).toMatchObject({ status: '200' });
    await visitor.selectOption('#tag', 'large_461');
    await visitor.locator('[data-path="/api/lib/large_461/unit/{unit_id}"]').first().waitFor();
    await visitor.close();
  });

  it('opens the body of a kind in a chain of two hundred kinds, and of kinds that all refer to each other', async () => {
    const chained = await service.project();
    const chain = Array.from({ length: 200 }, (_, at) => ({
      id: `chain_${at}`,
      parameters: at === 0 ? [] : [{ id: `next_${at}`, kind_id: 'unit', reference_kind: `chain_${at - 1}` }],
    }));
    const ids = Array.from({ length: 20 }, (_, at) => `mesh_${at}`);
    await defineKinds(chained, ...chain, ...ids.map((id) => ({ id })));
    const references = ids.map((id) => ({ id: `to_${id}`, kind_id: 'unit', reference_kind: id }));
    for (const [at, id] of ids.entries()) {
      const parameters = at === 0 ? references : references.map((each) => each.id);
      expect((await chained.put(`/kind/unit/${id}`, { parameters })).status).toBe(200);
    }
    const visitor = await visit(chained.id);
    for (const id of ['chain_199', 'mesh_19']) {
      const block = await open(id, 'post', `/api/lib/${id}/unit`, visitor);
      await block.locator('textarea').waitFor();
      expect(await execute(block)).toMatchObject({ status: '200', content: { kind_id: id } });
    }
    await visitor.close();
  });
});

describe('the page on a telephone', () => {
  it('fits the width, and leaves the height to the content', async () => {
    const small = await service.project();
    await defineKinds(small, CITY_KIND);
    const visitor = await visit(small.id, { width: 360, height: 740 });
    const header = await visitor.locator('header').boundingBox();
    expect(header?.height).toBeLessThan(0.25 * 740);
    const width = () => visitor.evaluate<number>('document.documentElement.scrollWidth');
    expect(await width()).toBe(360);
    for (const [method, path] of [
      ['get', '/api/lib/city/unit'],
      ['post', '/api/lib/city/unit'],
      ['put', '/api/lib/city/unit/{unit_id}'],
    ] as const) {
      const block = await open('city', method, path, visitor);
      await block.locator('.responses-table').waitFor();
      expect([method, await width()]).toEqual([method, 360]);
    }
    await execute(await open('city', 'get', '/api/lib/city/unit', visitor));
    expect(await width()).toBe(360);
    await visitor.screenshot({ path: join(SCREENS, 'telephone.png') });
    await visitor.close();
  });
});

describe('the link of a recovery mail', () => {
  it.each([
    ['as HTML', (project: string) => `#${project}`],
    ['as text', () => ''],
  ] as const)('of a mail that is shown %s leads to a page that sets the password', async (_, behind) => {
    await setOtp(project, false);
    const before = (await mailbox.to(ADMIN.email)).length;
    await anonymous(project).post('/auth/recover_password', { email: ADMIN.email });
    const mail = await mailbox.last(ADMIN.email, before + 1);
    const link = /^http.*$/m.exec(mail.text)?.[0] ?? '';
    const visitor = await browser.newPage();
    await visitor.goto(link + behind(project.id));
    if (await visitor.locator('#project').isVisible()) await visitor.fill('#project', project.id);
    await visitor.fill('#password', 'short');
    await visitor.click('button');
    await visitor.locator('.bad:has-text("at least 8 characters")').waitFor();
    await visitor.fill('#password', ADMIN.password);
    await visitor.click('button');
    await visitor.locator('p:has-text("It is set")').waitFor();
    expect(await visitor.locator('form').isVisible()).toBe(false);
    await visitor.close();
  });
});
