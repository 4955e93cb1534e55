/** The recipes of docs/recipes.md, run as they stand, each in a project of its own. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { asMember, defineKinds } from '../support/callers.js';
import { FunctionsFolder, reload } from '../support/functions.js';
import { Mailbox, temporaryFolder } from '../support/mailbox.js';
import { startTestService, type TestProject } from '../support/service.js';
import { codeBlocks } from './markdown.js';

const page = readFileSync(join(import.meta.dirname, '../../docs/recipes.md'), 'utf8');
const recipes = page
  .split(/^## /m)
  .slice(1)
  .map((text) => ({ title: text.slice(0, text.indexOf('\n')), blocks: codeBlocks(text) }));

const folder = new FunctionsFolder();
const dataDir = temporaryFolder();
const mailbox = new Mailbox(dataDir);
const service = await startTestService({ functionsDir: folder.path, dataDir });

const LINE =
  /^(root|ann|anyone) +(GET|POST|PUT|DELETE) +(\S+)(?: +(\{.*\}|\[.*\]))? +-> (\d{3})(?: ([a-z]+\.[a-z_]+))?(?: +(\{.*\}|\[.*\]))?(?: +as (\w+))?$/;

/** Plays lines; `$name.path` is a value of an earlier answer, `$mailed` the code of the last mail. */
async function play(root: TestProject, callers: ReadonlyMap<string, TestProject>, lines: readonly string[]) {
  const answers: Record<string, unknown> = {};
  const valueOf = (path: string) =>
    path.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], answers);
  const fill = (text: string) => text.replace(/\$([\w.]*\w)/g, (_, path: string) => String(valueOf(path)));
  for (const line of lines) {
    const [, who = '', method = '', path = '', body, status, code, content, name] = LINE.exec(line) ?? [];
    if (who === '') throw new Error(`not a line of a scenario: ${line}`);
    const caller = who === 'anyone' ? root.as(undefined) : (callers.get(who) ?? root);
    if (body?.includes('$mailed')) {
      const { text } = await mailbox.last('ann@example.com', 1);
      answers['mailed'] = /the code (\S+)/.exec(text)?.[1];
    }
    const reply = await caller.call(method, fill(path), body === undefined ? undefined : JSON.parse(fill(body)));
    expect([line, reply.status, reply.body.messages[0]?.code]).toEqual([
      line,
      Number(status),
      status === '200' ? undefined : (code ?? reply.body.messages[0]?.code),
    ]);
    if (content === '[]') expect(reply.body.content).toEqual([]);
    else if (content !== undefined) expect(reply.body.content).toMatchObject(JSON.parse(content) as object);
    if (name !== undefined) answers[name] = reply.body.content as unknown;
  }
}

test('there are six', () => expect(recipes).toHaveLength(6));

test.each(recipes)('$title', async ({ blocks }) => {
  const root = await service.project();
  const callers = new Map<string, TestProject>();
  for (const { info, text } of blocks) {
    if (info === 'json kind') await defineKinds(root, JSON.parse(text) as object);
    else if (info.startsWith('json POST ')) await root.post(info.slice('json POST '.length), JSON.parse(text));
    else if (info.startsWith('ts functions/')) {
      folder.write(info.replace('ts functions', root.id), text);
      await reload(service);
    } else {
      expect(info).toBe('text scenario');
      if (/^ann /m.test(text)) callers.set('ann', await asMember(root));
      await play(root, callers, text.split('\n'));
    }
  }
});
