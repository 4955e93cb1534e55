/** The clients and examples of docs/changes.md, run as a reader would run them. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { defineKinds } from '../support/callers.js';
import { sharedService } from '../support/service.js';
import { codeBlocks } from './markdown.js';
import { runSteps, stepsOf } from './shell.js';

const page = readFileSync(join(import.meta.dirname, '../../docs/changes.md'), 'utf8');
const service = await sharedService();
const textOf = (sort: string) => codeBlocks(page).find(({ info }) => info === sort)?.text ?? '';
const run = async (script: string) => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
  return JSON.parse(stdout) as unknown;
};

test('the client has what the list has', async () => {
  const project = await service.project();
  await defineKinds(project, { id: 'task', changes: 'feed', parameters: [{ id: 'title', kind_id: 'string' }] });
  await project.post('/task/unit', { title: 'first' });
  const given = `const [token, api] = ${JSON.stringify([project.token, `${service.service.url}/api/lib`])};`;
  const use = `
    const write = (path, method, body) => fetch(api + path, { method, headers, body: JSON.stringify(body) }).then((each) => each.json());
    const seen = [];
    follow((lists) => {
      const units = [...lists.tasks.values()];
      seen.push(units.map(({ title }) => title));
      if (seen.length === 1) void write('/task/unit', 'POST', { title: 'second' });
      if (seen.length === 2) void write('/task/unit/' + units[0].id, 'PUT', { title: 'third' });
      if (seen.length === 3) void fetch(api + '/task/unit/' + units[0].id, { method: 'DELETE', headers: { ...headers, 'content-type': '' } });
      if (seen.length === 4) { console.log(JSON.stringify(seen)); process.exit(); }
    });
  `;
  const client = textOf('js live').replace("'demo'", `'${project.id}'`);
  expect(await run(`${given}\n${client}\n${use}`)).toEqual([
    ['first'],
    ['first', 'second'],
    ['third', 'second'],
    ['second'],
  ]);
});

test('the reducer keeps the units that it knows in their order', async () => {
  const use = `
    const list = new LiveList((a, b) => a.n - b.n || (a.id < b.id ? -1 : 1), 3);
    const unit = (id, n) => ({ id, n });
    const told = [];
    const tell = () => told.push([list.units.map(({ id }) => id).join(''), list.count, list.isShort(2)]);
    list.page({ items: [unit('a', 1), unit('b', 2), unit('c', 3)], count: 5 }); tell();
    list.put(unit('x', 1.5), true); tell();
    list.put(unit('y', 9), true); tell();
    list.put(unit('a', 2.5), false); tell();
    list.remove('a'); tell();
    list.put(unit('b', 7), false); tell();
    list.remove('x'); tell();
    console.log(JSON.stringify(told));
  `;
  expect(await run(`${textOf('js reducer')}\n${use}`)).toEqual([
    ['abc', 5, false],
    ['axbc', 6, false],
    ['axbc', 7, false],
    ['xbac', 7, false],
    ['xbc', 6, false],
    ['xc', 6, false],
    ['c', 5, true],
  ]);
});

test('what a task was, and putting it back', async () => {
  const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');
  const before = stepsOf(readme, 'sh tour').slice(0, 2);
  const steps = stepsOf(page, 'sh history');
  expect(steps.map(({ answers }) => answers.length)).toEqual([0, 1, 2]);
  const printed = (await runSteps([...before, ...steps], await service.project())).slice(before.length);
  expect(printed[1]).toMatchObject(steps[1]?.answers ?? []);
  expect(printed[2]).toMatchObject(steps[2]?.answers ?? []);
});
