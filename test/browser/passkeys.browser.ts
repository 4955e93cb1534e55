/** Passkeys in a real browser, with its virtual authenticator: the code of docs/auth.md and docs/sign-in.md. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { atEnd } from '../support/at-end.js';
import { signUp, withMembers } from '../support/callers.js';
import { startChromium } from '../support/chromium.js';
import { ok } from '../support/definitions.js';
import { addDevice } from '../support/device.js';
import { setSettings } from '../support/mailbox.js';
import { startTestService } from '../support/service.js';

vi.setConfig({ testTimeout: 60_000 });

const guide = (name: string) => readFileSync(join(import.meta.dirname, '../../docs', name), 'utf8');
const enrol = /```js\n(async function enrol[\s\S]*?)```/.exec(guide('auth.md'))?.[1] ?? '';
const signIn = /```js page\n(async function signInByPasskey[\s\S]*?)```/.exec(guide('sign-in.md'))?.[1] ?? '';

/** A page of an application, on another origin than the service. */
const pages = createServer((_, response) => {
  response.setHeader('content-type', 'text/html');
  response.end(`<!doctype html><title>Application</title><script>
    async function call(path, body) {
      const headers = { 'content-type': 'application/json', 'kind-project-key': window.project };
      if (window.token) headers.authorization = 'Bearer ' + window.token;
      const answer = await fetch(window.api + path, { method: 'POST', headers, body: JSON.stringify(body) });
      const { content, messages } = await answer.json();
      if (!answer.ok) throw new Error(messages[0].code);
      return content;
    }
    let session;
    const send = async (path, body) => ({ content: await call(path, body) });
    ${enrol}
    ${signIn}
    const signIn = async () => (await signInByPasskey(), session);
  </script>`);
});
await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
atEnd(() => void pages.close());
const origin = `http://localhost:${(pages.address() as AddressInfo).port}`;

const service = await startTestService({ corsOrigins: [origin] });
const project = await withMembers(await service.project());
await setSettings(project, { passkeyDomain: 'localhost', passkeyOrigins: [origin] });
const browser = await startChromium();

/** A page whose browser has a device with passkeys. */
async function openPage() {
  const page = await browser.newPage();
  const { verify } = await addDevice(page);
  await page.goto(origin);
  const run = <T>(expression: string, token?: string) => {
    const known = { api: `${service.service.url}/api/lib`, project: project.id, token: token ?? null };
    return page.evaluate<T>(`Object.assign(window, ${JSON.stringify(known)}); ${expression}`);
  };
  return { run, verify };
}

it('a page enrols a passkey and signs in with it, as the guides say', async () => {
  expect(enrol).toContain('/auth/passkey/options');
  expect(signIn).toContain('/auth/passkey/signin/options');
  const ann = await signUp(project, 'ann');
  const { run, verify } = await openPage();
  const made = await run<{ id: string; label: string }>(`enrol('Laptop')`, ann.accessToken);
  expect(made).toMatchObject({ label: 'Laptop', member: ann.id, backed_up: false });
  // It is there already.
  await expect(run(`enrol('Again')`, ann.accessToken)).rejects.toThrow(/InvalidStateError|already/i);

  const session = await run<{ id: string; access_token: string }>('signIn()');
  expect(session.id).toBe(ann.id);
  const as = project.as(session.access_token);
  expect(await ok(as.get('/auth/second_step'))).toMatchObject({ passkeys: 1 });
  // The device counts its uses.
  expect((await run<{ id: string }>('signIn()')).id).toBe(ann.id);

  await verify(false);
  await expect(run('signIn()')).rejects.toThrow();
  await verify(true);
  await ok(as.delete(`/passkey/unit/${made.id}`));
  await expect(run('signIn()')).rejects.toThrow('signin.failed');
});
