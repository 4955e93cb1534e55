/** Files in the console: uploads, previews, replacement, references; and that no content runs as a page. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Authenticator } from '../support/authenticator.js';
import { startChromium } from '../support/chromium.js';
import { Provisioning } from '../../src/catalog/project/provisioning.js';
import { ConsolePage } from '../support/console.js';
import { defineKinds, signUp, withMembers } from '../support/callers.js';
import { createdId, ok } from '../support/definitions.js';
import { upload, withOwnFileKind } from '../support/files.js';
import { setSettings } from '../support/mailbox.js';
import { pngOf, wavOf, webmOf } from '../support/pictures.js';
import { startTestService } from '../support/service.js';

vi.setConfig({ testTimeout: 60_000 });

/** Above it a file is sent in parts. */
const PART_BYTES = 8 * 1024 * 1024;
/** So that a refusal comes before a browser has sent everything. */
const FILE_LIMIT = 30 * 1024 * 1024;
const service = await startTestService({ fileLimit: FILE_LIMIT });
const project = await withMembers(await service.project());
await defineKinds(project, {
  id: 'article',
  label: 'Article',
  parameters: [
    { id: 'title', label: 'Title', kind_id: 'string' },
    {
      id: 'cover',
      label: 'Cover',
      kind_id: 'unit',
      reference_kind: 'file',
      accept: ['image/*'],
      max_bytes: 100_000,
    },
  ],
});
const ann = await signUp(project, 'ann');
const browser = await startChromium();
const opened = await ConsolePage.signedIn(browser, project);
const { page, complaints } = opened;
beforeEach(() => void complaints.splice(0));
const main = page.getByRole('main');
const gallery = main.getByRole('list', { name: 'File' });
const open = (hash: string) => page.goto(opened.url(hash));
const picture = (name: string, width = 64, height = 48) => ({
  name,
  mimeType: 'image/png',
  buffer: pngOf(width, height),
});
const textFile = (name: string, text = 'Hello') => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });

interface Given {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
  /** Made in the browser instead, of so many letters. */
  readonly bytes?: number;
}

/** What a person holds with the mouse, or has copied. */
function carried(files: readonly Given[]): string {
  const given = files.map(({ buffer, ...file }) => ({ ...file, text: buffer.toString('base64') }));
  return `(() => {
    const transfer = new DataTransfer();
    for (const { name, mimeType, text, bytes } of ${JSON.stringify(given)}) {
      const content = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
      transfer.items.add(new File([bytes ? new Uint8Array(bytes).fill(97) : content], name, { type: mimeType }));
    }
    return transfer;
  })()`;
}

/** Drops files on an element. */
async function drop(selector: string, files: readonly Given[]): Promise<void> {
  const dataTransfer = await page.evaluateHandle(carried(files));
  await page.dispatchEvent(selector, 'dragover', { dataTransfer });
  await page.dispatchEvent(selector, 'drop', { dataTransfer });
}

/** How many pictures are shown. */
const shownPictures = (selector: string) =>
  page.evaluate<number>(
    `[...document.querySelectorAll('${selector} img')].filter((image) => image.complete && image.naturalWidth > 0).length`,
  );

async function accessible(): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    expect([colorScheme, await opened.accessibilityFaults()]).toEqual([colorScheme, []]);
  }
}

async function idOf(path: string): Promise<string> {
  const { items } = (await project.get(path)).body.content as { items: { id: string }[] };
  return items[0]?.id ?? '';
}

describe('the list of files', () => {
  it('begins with a way to upload, and takes several files', async () => {
    await open('#/data/file');
    await main.getByText('No files yet.').waitFor();
    await opened.screenshot('files-empty');
    await page
      .getByLabel('Files to upload')
      .first()
      .setInputFiles([picture('blue.png'), textFile('notes.txt')]);
    await page.getByText('2 of 2 files uploaded').waitFor();
    await page.getByRole('gridcell', { name: 'blue.png' }).waitFor();
    await page.getByText('2 units', { exact: true }).waitFor();
    await expect.poll(() => shownPictures('.grid')).toBe(1);
    await opened.screenshot('files-table');
    await accessible();
    expect(complaints).toEqual([]);
  });

  it('takes files that are dropped or pasted, and says what was refused with the name of the file', async () => {
    await drop('main', [
      picture('tall.png', 30, 90),
      { ...textFile('wrong.png', `GIF89a${'\0'.repeat(100)}`), mimeType: 'image/png' },
    ]);
    await page.getByRole('alert').filter({ hasText: 'wrong.png: The content is image/gif' }).waitFor();
    await opened.screenshot('files-refused');
    await page.getByRole('gridcell', { name: 'tall.png' }).waitFor();
    const clipboardData = carried([picture('image.png')]);
    const init = `{ clipboardData: ${clipboardData}, bubbles: true, cancelable: true }`;
    await page.evaluate(`document.body.dispatchEvent(new ClipboardEvent('paste', ${init}))`);
    await page.getByRole('gridcell', { name: 'image.png' }).waitFor();
    complaints.splice(0);
  });

  it('says so when one is too large, or the project is full, also before all of it was sent', async () => {
    const settings = project.service.app.get(Provisioning);
    const refused = async (bytes: number, fault: string) => {
      const name = `${bytes}.txt`;
      await drop('main', [{ ...textFile(name), bytes }]);
      await page.getByRole('alert').filter({ hasText: name }).filter({ hasText: fault }).waitFor();
    };
    await refused(FILE_LIMIT + 1, 'A file has at most 30MB');
    await settings.set(project.id, { settings: { storage: 1 } });
    await refused(PART_BYTES, 'storage');
    await refused(PART_BYTES + 1, 'storage');
    await settings.set(project.id, { settings: { storage: null } });
    complaints.splice(0);
  });

  it('sends a large one in parts, and goes on where a lost connection has stopped it', async () => {
    let parts = 0;
    await page.route('**/file/upload/*', async (route) => {
      const isPart = route.request().method() === 'PATCH';
      parts += isPart ? 1 : 0;
      return isPart && parts === 2 ? route.abort('connectionreset') : route.continue();
    });
    const bytes = 2.5 * PART_BYTES;
    await drop('main', [{ ...textFile('long.txt'), bytes }]);
    await main.getByRole('progressbar', { name: 'Sent of long.txt' }).waitFor();
    await page.getByRole('gridcell', { name: 'long.txt' }).waitFor({ timeout: 30_000 });
    expect(parts).toBe(4);
    await page.unroute('**/file/upload/*');
    const { content } = (await project.get('/file/unit?filter=eq(name,"long.txt")')).body as {
      content: { items: { bytes: number; media_type: string }[] };
    };
    expect(content.items).toMatchObject([{ bytes, media_type: 'text/plain' }]);
    complaints.splice(0);
  });

  it('stops one that is cancelled, and sends it again', async () => {
    let release = () => undefined as void;
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/file/unit?name=slow.txt', async (route) => {
      await held;
      await route.continue().catch(() => undefined);
    });
    await page.getByLabel('Files to upload').setInputFiles(textFile('slow.txt'));
    await page.getByRole('button', { name: 'Cancel: slow.txt' }).click();
    await main.getByText('Stopped').waitFor();
    release();
    await page.unroute('**/file/unit?name=slow.txt');
    await page.getByRole('button', { name: 'Try again: slow.txt' }).click();
    await page.getByRole('gridcell', { name: 'slow.txt' }).waitFor();
    complaints.splice(0);
  });

  it('shows them as pictures', async () => {
    await page.getByText('Pictures', { exact: true }).click();
    await gallery.getByRole('link', { name: 'tall.png' }).waitFor();
    await expect.poll(() => shownPictures('.gallery')).toBe(3);
    await opened.screenshot('files-pictures');
    await accessible();
    expect(complaints).toEqual([]);
  });
});

describe('the page of a file', () => {
  it('shows the picture, replaces it, and makes an address', async () => {
    await gallery.getByRole('link', { name: 'tall.png' }).click();
    const shown = main.getByRole('img', { name: 'tall.png' });
    await shown.waitFor();
    await main.getByText('image/png · 5.4 kB · 30 × 90 pixels').waitFor();
    await opened.screenshot('file-page');
    const before = await shown.getAttribute('src');
    const other = page.getByLabel('File that takes its place');
    const long = carried([{ ...textFile('long.txt'), bytes: FILE_LIMIT + 1 }]);
    await page.evaluate(`(() => {
      const input = document.querySelector('[aria-label="File that takes its place"]');
      input.files = ${long}.files;
      input.dispatchEvent(new Event('change', { bubbles: true }));
    })()`);
    await page.getByRole('alert').filter({ hasText: 'long.txt: A file has at most 30MB' }).waitFor();
    await other.setInputFiles(picture('wide.png', 90, 30));
    await main.getByText('90 × 30 pixels').waitFor();
    complaints.splice(0);
    expect(await shown.getAttribute('src')).not.toBe(before);
    await main.getByRole('button', { name: 'Address' }).click();
    const address = await main.getByRole('textbox', { name: 'Address' }).inputValue();
    await accessible();
    const plain = await fetch(address);
    expect([plain.status, plain.headers.get('content-type')]).toEqual([200, 'image/png']);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      main.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('tall.png');
    expect(complaints).toEqual([]);
  });

  it('shows both contents when somebody else has replaced it, and lets one choose', async () => {
    const id = page.url().split('/').at(-1) ?? '';
    const replaced = await project.call('PUT', `/file/unit/${id}/content`, pngOf(10, 10), {
      headers: { 'content-type': 'image/png' },
    });
    expect(replaced.status).toBe(200);
    await page.getByLabel('File that takes its place').setInputFiles(picture('mine.png', 20, 20));
    const dialog = page.getByRole('dialog', { name: 'Somebody else has replaced the content' });
    await dialog.getByText('mine.png').waitFor();
    await opened.screenshot('file-conflict');
    await accessible();
    await dialog.getByRole('button', { name: 'Use mine' }).click();
    await main.getByText('20 × 20 pixels').waitFor();
  });

  it.each([
    ['sound', 'audio', 'sea.wav', 'audio/wav', wavOf(1200)],
    ['film', 'video', 'sea.webm', 'video/webm', webmOf(1200, 8000)],
  ])('plays a %s from where a person wants', async (word, tag, name, type, content) => {
    const id = await createdId(upload(project, name, content, { 'content-type': type }));
    const parts: number[] = [];
    page.on('response', (response) => void (response.url().includes(`/file/${id}/`) && parts.push(response.status())));
    await open(`#/data/file/unit/${id}`);
    await main.locator(tag).waitFor();
    const seek = `(async () => {
      const played = document.querySelector('${tag}');
      if (played.readyState < 1) await new Promise((ready) => played.addEventListener('loadedmetadata', ready));
      played.currentTime = 1000;
      await new Promise((ready) => played.addEventListener('seeked', ready));
      const from = played.currentTime;
      played.muted = true;
      await played.play();
      while (played.currentTime === from) await new Promise((later) => played.addEventListener('timeupdate', later, { once: true }));
      played.pause();
      return [Math.round(played.duration), from, played.videoWidth ?? 0];
    })()`;
    expect(await page.evaluate(seek)).toEqual([1200, 1000, tag === 'video' ? 64 : 0]);
    // What lies between is not sent.
    expect(parts.length).toBeGreaterThan(1);
    expect(new Set(parts)).toEqual(new Set([206]));
    await opened.screenshot(`file-${word}`);
    expect(complaints).toEqual([]);
  });

  it('shows a text as it is', async () => {
    const id = await createdId(upload(project, 'page.txt', '<b>bold</b>'));
    await open(`#/data/file/unit/${id}`);
    await main.getByText('<b>bold</b>').waitFor();
    await accessible();
  });
});

describe('a reference to a file', () => {
  const cover = main.getByRole('group', { name: 'Cover' });

  it('is uploaded in the form, where its type and size are judged before it is sent', async () => {
    await open('#/data/article/new');
    await main.getByLabel('Title').fill('Sea');
    await cover.getByText('Taken: image/*, at most 97.7 kB').waitFor();
    const sent: string[] = [];
    page.on('request', (request) => void (request.method() === 'POST' && sent.push(request.url())));
    const input = page.getByLabel('Cover: a file to upload');
    await input.setInputFiles(textFile('notes.txt'));
    await page.getByRole('alert').getByText('“notes.txt” is text/plain. Taken: image/*.').waitFor();
    await input.setInputFiles({ ...picture('large.png'), buffer: Buffer.alloc(100_001) });
    await page.getByRole('alert').getByText('“large.png” has 97.7 kB.').waitFor();
    expect(sent).toEqual([]);
    await accessible();
    await drop('.file-field', [picture('cover.png', 40, 30)]);
    await cover.getByRole('link', { name: 'cover.png' }).waitFor();
    await expect.poll(() => shownPictures('.file-field')).toBe(1);
    await opened.screenshot('file-field');
    await accessible();
    await page.getByRole('button', { name: 'Create' }).click();
    await main.getByRole('heading', { name: 'Sea' }).waitFor();
    await cover.getByRole('link', { name: 'cover.png' }).waitFor();
  });

  it('is removed, and an existing one is chosen of those that the field takes', async () => {
    await cover.getByRole('button', { name: 'Remove' }).click();
    await cover.getByRole('button', { name: 'Choose an existing one' }).click();
    await page.getByRole('combobox', { name: 'Cover: an existing file' }).click();
    await page.getByRole('option', { name: 'blue.png' }).waitFor();
    expect(await page.getByRole('option', { name: 'notes.txt' }).count()).toBe(0);
    await opened.screenshot('file-choice');
    await accessible();
    await page.getByRole('option', { name: 'blue.png' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').first().waitFor();
    await cover.getByRole('link', { name: 'blue.png' }).waitFor();
  });

  it('is a picture in the grid', async () => {
    const asked: string[] = [];
    page.on('request', (request) => void asked.push(request.url()));
    await open('#/data/article');
    await page.getByRole('gridcell', { name: 'blue.png' }).waitFor();
    await expect.poll(() => shownPictures('.grid')).toBe(1);
    await opened.screenshot('files-cell');
    // The addresses come with what else is read of the files.
    expect(asked.filter((url) => url.endsWith('/url'))).toEqual([]);
    // The file says where it is, and where it is linked.
    await page.getByRole('link', { name: 'blue.png' }).click();
    await main.getByText('Referred to by').waitFor();
    expect(await main.getByRole('link', { name: '1 link' }).count()).toBe(0);
    const [file, article] = await Promise.all([idOf('/file/unit?filter=eq(name,blue.png)'), idOf('/article/unit')]);
    await ok(project.post(`/article/unit/${article}/link/link/file/unit/${file}`, {}));
    await page.reload();
    await main.getByRole('link', { name: '1 link' }).waitFor();
    await main.getByRole('link', { name: '1 × Article: Cover' }).click();
    await page.getByRole('gridcell', { name: 'Sea' }).waitFor();
  });
});

it('the settings of files are changed, and what is refused is said at its field', async () => {
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  const form = main.getByRole('region', { name: 'Files' });
  const sizes = form.getByRole('textbox', { name: 'Sizes of pictures' });
  await sizes.fill('thumb:100x100');
  await form.getByRole('button', { name: 'Save' }).click();
  await main.getByText("'thumb:100x100': the mode is cover, contain or inside").waitFor();
  expect(await sizes.getAttribute('aria-invalid')).toBe('true');
  await opened.screenshot('settings');
  await accessible();
  await sizes.fill('small:100x100:cover');
  await main.getByRole('textbox', { name: 'Addresses open a file' }).fill('120');
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved').first().waitFor();
  expect((await project.get('/settings')).body.content).toMatchObject({
    image_sizes: 'small:100x100:cover',
    originals: 'all',
    file_url_seconds: 120,
  });

  // One that takes passkeys away asks whether it is meant.
  await setSettings(project, { passkeyDomain: 'example.com', passkeyOrigins: ['https://example.com'] });
  const { challenge_id, options } = await ok(project.post('/auth/passkey/options', {}));
  const response = new Authenticator('https://example.com').create(options);
  await ok(project.post('/auth/passkey', { challenge_id, response }));
  await page.reload();
  const signIn = main.getByRole('region', { name: 'Sign-in' });
  await signIn.getByRole('textbox', { name: 'Domain of passkeys' }).fill('off');
  await signIn.getByRole('button', { name: 'Save' }).click();
  const dialog = page.getByRole('dialog', { name: 'Passkeys become useless' });
  await dialog.getByText('could not be used any more').waitFor();
  await accessible();
  await dialog.getByRole('button', { name: 'Save anyway' }).click();
  await page.getByText('Saved').first().waitFor();
  expect((await project.get('/settings')).body.content).toMatchObject({ passkey_domain: 'off' });

  await open('#/model/kind/edit/file');
  await main.getByText(/^Always there: id, kind_id, name, content, media_type/).waitFor();
  expect(await main.getByRole('button', { name: /^Remove/ }).count()).toBe(0);
  // Small pictures are shown as they are where no size is called so.
  await open('#/data/article');
  await expect.poll(() => shownPictures('.grid')).toBe(1);
  await ok(project.put('/settings', { image_sizes: 'default' }));
  complaints.splice(0);
});

describe('who may do less', () => {
  it('sees no upload where it may not create, and no form where it may not edit', async () => {
    await ok(project.put('/kind/unit/file', { access: { create: 'admin', read: 'anyone' } }));
    const member = await ConsolePage.open(browser, project);
    await member.page.goto(member.url());
    await member.signIn(ann.username, ann.password);
    await member.page.getByRole('navigation', { name: 'Kinds' }).waitFor();
    await member.page.goto(member.url('#/data/file'));
    await member.page.getByRole('gridcell', { name: 'blue.png' }).waitFor();
    expect(await member.page.getByLabel('Files to upload').count()).toBe(0);
    await member.page.getByRole('button', { name: 'Upload', disabled: true }).waitFor();
    await member.page.getByRole('link', { name: 'blue.png' }).click();
    await member.page.getByRole('img', { name: 'blue.png' }).waitFor();
    await member.page.getByRole('button', { name: 'Replace', disabled: true }).waitFor();
    expect(await member.accessibilityFaults()).toEqual([]);
    await member.screenshot('file-reader');
    await member.page.goto(member.url('#/data/article/new'));
    const field = member.page.getByRole('group', { name: 'Cover' });
    await field.getByRole('button', { name: 'Choose an existing one' }).waitFor();
    expect(await field.getByRole('button', { name: 'Upload' }).count()).toBe(0);
    await ok(project.put('/kind/unit/file', { access: null }));
  });

  it('has nothing of this in a project with a kind of that name of its own', async () => {
    const other = await ConsolePage.signedIn(browser, await withOwnFileKind(await service.project()));
    await other.page.goto(other.url('#/data/file'));
    await other.page.getByText('No units yet.').waitFor();
    expect(await other.page.getByText('Upload').count()).toBe(0);
    expect(await other.page.getByText('Pictures').count()).toBe(0);
    await other.page.getByRole('main').getByRole('link', { name: 'New' }).first().click();
    await other.page.getByRole('textbox', { name: 'title' }).fill('a');
    await other.page.getByRole('button', { name: 'Create' }).click();
    await other.page.getByRole('heading', { name: 'a', exact: true }).waitFor();
    expect(await other.page.getByRole('region', { name: 'Content' }).count()).toBe(0);
    await other.page.getByRole('link', { name: 'Duplicate' }).waitFor();
    expect(other.complaints).toEqual([]);
  });
});

describe('contents of others', () => {
  const SCRIPT = `document.title = 'run'; fetch('/api/lib/health')`;
  it.each([
    ['a.svg', 'image/svg+xml', `<svg xmlns="http://www.w3.org/2000/svg"><script>${SCRIPT}</script></svg>`],
    ['a.html', 'text/html', `<!doctype html><title>still</title><script>${SCRIPT}</script>`],
    ['a.xml', 'application/xml', `<html xmlns="http://www.w3.org/1999/xhtml"><script>${SCRIPT}</script></html>`],
  ])('%s is saved by its address, and nothing in it runs, there and in the console', async (name, type, content) => {
    const id = await createdId(upload(project, name, content, { 'content-type': type }));
    const { url } = (await project.call('POST', `/file/unit/${id}/url`, {})).body.content as { url: string };
    const address = `${service.service.url}${url}`;
    const other = await opened.context.newPage();
    const [download] = await Promise.all([other.waitForEvent('download'), other.goto(address).catch(() => undefined)]);
    expect(download.suggestedFilename()).toBe(name);
    expect(await other.title()).toBe('');
    await other.close();
    // The console shows its text.
    await open(`#/data/file/unit/${id}`);
    await main.getByRole('group', { name }).getByText("document.title = 'run'").waitFor();
    expect(await page.title()).not.toBe('run');
  });
});
