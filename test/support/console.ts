/** A person at the console: a page in a browser, with what the browser complains of. */
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { atEnd } from './at-end.js';
import { ADMIN, type TestProject } from './service.js';

/** Colors that still change are none that anybody reads: waits for all transitions that end. */
const SETTLED = `new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))).then(() =>
  Promise.all(document.getAnimations()
    .filter(({ effect }) => Number.isFinite(effect?.getComputedTiming().endTime))
    .map(({ finished }) => finished.catch(() => undefined))).then(() => undefined))`;
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const SCREENS = join(import.meta.dirname, '../../.data/screens');

/** Markup that runs a script where a label is not shown as text. */
export const EVIL = '<img src=x onerror=alert(1)><script>alert(2)</script>';

export class ConsolePage {
  /** Errors of scripts, broken rules of the content security policy, requests to other hosts. */
  readonly complaints: string[] = [];

  private constructor(
    readonly project: TestProject,
    readonly context: BrowserContext,
    readonly page: Page,
  ) {}

  /** A new browser window; nobody is signed in. It is closed at the end of the file. */
  static async open(browser: Browser, project: TestProject, locale = 'en-US'): Promise<ConsolePage> {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      locale,
      reducedMotion: 'reduce',
    });
    atEnd(() => context.close());
    const opened = new ConsolePage(project, context, await context.newPage());
    opened.watch(opened.page);
    return opened;
  }

  /** The same, signed in as the administrator. */
  static async signedIn(browser: Browser, project: TestProject, locale?: string): Promise<ConsolePage> {
    const opened = await ConsolePage.open(browser, project, locale);
    await opened.page.goto(opened.url());
    await opened.signIn(ADMIN.username, ADMIN.password);
    await opened.page.getByRole('navigation', { name: 'Kinds' }).waitFor();
    // A page that nobody is signed in to asks whether there is a session.
    opened.complaints.splice(0);
    return opened;
  }

  watch(page: Page): Page {
    const { url } = this.project.service;
    page.setDefaultTimeout(15_000);
    page.on('console', (message) => {
      if (message.type() === 'error') this.complaints.push(message.text());
    });
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('request', (request) => {
      const isOwn = [url, 'data:', 'blob:'].some((start) => request.url().startsWith(start));
      if (!isOwn) this.complaints.push(request.url());
    });
    return page;
  }

  /** @param hash such as `#/data/city` */
  url(hash = ''): string {
    return `${this.project.service.url}/console/${hash}`;
  }

  async signIn(username: string, password: string, on = this.page): Promise<void> {
    await on.getByLabel('Project key').fill(this.project.id);
    await on.getByLabel('Username or e-mail').fill(username);
    await on.getByRole('textbox', { name: 'Password' }).fill(password);
    await on.getByRole('button', { name: 'Sign in', exact: true }).click();
  }

  /** The faults that axe finds, as ids with the elements. */
  async accessibilityFaults(): Promise<string[]> {
    // The policy of the page allows no script but its own: this one comes from the debugger.
    await this.page.evaluate(AXE);
    await this.page.evaluate(SETTLED);
    const { violations } = await this.page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
      'axe.run()',
    );
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`);
  }

  /** A picture in `.data/screens/`, or in another folder. */
  async screenshot(name: string, folder = SCREENS): Promise<void> {
    mkdirSync(folder, { recursive: true });
    await this.page.screenshot({ path: join(folder, `console-${name}.png`) });
  }
}
