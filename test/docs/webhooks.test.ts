/** The examples of docs/webhooks.md, run after the tour of README.md; and its receiver. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newSecret, signatureHeaders } from '../../src/webhook/signature.js';
import { defineKinds } from '../support/callers.js';
import { sharedService } from '../support/service.js';
import { codeBlocks } from './markdown.js';
import { runSteps, stepsOf } from './shell.js';

const page = (name: string) => readFileSync(join(import.meta.dirname, '../..', name), 'utf8');

test('a webhook is made, and goes on from now', async () => {
  const project = await (await sharedService()).project();
  await defineKinds(project, { id: 'task', changes: 'feed', parameters: [{ id: 'title', kind_id: 'string' }] });
  const before = stepsOf(page('README.md'), 'sh tour').slice(0, 2);
  const steps = stepsOf(page('docs/webhooks.md'), 'sh hooks');
  const printed = (await runSteps([...before, ...steps], project)).slice(before.length);
  expect(printed).toMatchObject([
    [{ content: { id: 'erp', state: 'ok', secret: expect.stringMatching(/^whsec_/) as string } }],
    [{ content: null, messages: [] }],
  ]);
});

test('the receiver takes what is signed, and nothing else', async () => {
  const code = codeBlocks(page('docs/webhooks.md')).find(({ info }) => info === 'js verify')?.text ?? '';
  const file = join(mkdtempSync(join(tmpdir(), 'kind-verify-')), 'verify.mjs');
  writeFileSync(file, code);
  const { verify } = (await import(file)) as {
    verify: (secret: string, headers: Record<string, string>, body: Buffer) => boolean;
  };
  const [secret, other] = [newSecret(), newSecret()];
  const body = '{"type":"ping","data":{"text":"ü"}}';
  const timestamp = Math.floor(Date.now() / 1000);
  const headers = signatureHeaders({ id: 'msg_1', timestamp, body }, [other, secret]);
  const bytes = Buffer.from(body);
  expect([verify(secret, headers, bytes), verify(other, headers, bytes)]).toEqual([true, true]);
  expect(verify(newSecret(), headers, bytes)).toBe(false);
  expect(verify(secret, headers, Buffer.from(`${body} `))).toBe(false);
  expect(verify(secret, { ...headers, 'webhook-id': 'msg_2' }, bytes)).toBe(false);
  const old = signatureHeaders({ id: 'msg_1', timestamp: timestamp - 3600, body }, [secret]);
  expect(verify(secret, old, bytes)).toBe(false);
});
