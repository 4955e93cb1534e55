/** The examples of docs/writing.md, run as they stand, in their order. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defineKinds } from '../support/callers.js';
import { sharedService } from '../support/service.js';
import { codeBlocks } from './markdown.js';

const blocks = codeBlocks(readFileSync(join(import.meta.dirname, '../../docs/writing.md'), 'utf8'));
const service = await sharedService();
const root = await service.project();
const kinds = blocks.filter(({ info }) => info === 'json kind').map(({ text }) => JSON.parse(text) as object);
await defineKinds(root, ...kinds);
const lines = blocks.filter(({ info }) => info === 'text scenario').flatMap(({ text }) => text.split('\n'));
const named = new Map<string, string>();

const LINE =
  /^root (GET|POST|PUT|DELETE) (\S+)(?: (\{.*\}|\[.*\]))? -> (\d{3})(?: (\{.*\}))?(?: (created|updated|unchanged|ignored))?(?: as (\w+))?$/;

test('there are examples', () => expect(lines.length).toBeGreaterThan(20));

test.each(lines.filter((line) => line !== ''))('%s', async (line) => {
  const [, method = '', path = '', body, status, content, result, name] = LINE.exec(line) ?? [];
  const address = path.replace(/\$\w+/g, (each) => named.get(each.slice(1)) ?? each);
  const reply = await root.call(method, address, body === undefined ? undefined : JSON.parse(body));
  expect(reply.status).toBe(Number(status));
  if (content !== undefined) expect(reply.body.content).toMatchObject(JSON.parse(content) as object);
  if (result !== undefined) expect(reply.headers.get('kind-result')).toBe(result);
  if (name !== undefined) named.set(name, (reply.body.content as { id: string }).id);
});
