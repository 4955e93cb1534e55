/** The files and answers of docs/import-export.md, from top to bottom. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ok } from '../support/definitions.js';
import { sharedService, type Reply } from '../support/service.js';
import { codeBlocks } from './markdown.js';

const project = await (await sharedService()).project();
const page = readFileSync(join(import.meta.dirname, '../../docs/import-export.md'), 'utf8');

test('docs/import-export.md', async () => {
  let reply: Reply | undefined;
  let answers = 0;
  for (const { info, text } of codeBlocks(page)) {
    if (info === 'sh') continue;
    const [, form = '', method = '', path = ''] = /^(json|csv) (GET|POST) (.+)$/.exec(info) ?? [];
    if (info === 'json') {
      expect(reply?.body.content).toEqual(JSON.parse(text));
      answers += 1;
    } else if (info === 'json 400') {
      expect([reply?.status, reply?.body.messages]).toEqual([400, JSON.parse(text)]);
      answers += 1;
    } else if (form === 'csv' && method === 'GET') {
      expect((await project.get(path)).text).toBe(`${text}\n`.replaceAll('\n', '\r\n'));
    } else if (form === 'csv') {
      reply = await project.call(method, path, `${text}\n`, { headers: { 'content-type': 'text/csv' } });
    } else {
      await ok(project.post(path, JSON.parse(text)));
    }
  }
  expect(answers).toBe(3);
});
