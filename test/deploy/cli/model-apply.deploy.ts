/** A model file over many projects: it stops at the first that refuses, and goes on there when it is run again. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { runCommand } from '../../support/command-line.js';
import { defineKinds } from '../../support/callers.js';
import { ok } from '../../support/definitions.js';
import { sharedService, type TestProject } from '../../support/service.js';

const PROJECTS = 50;
const REFUSES = 19;

const service = await sharedService();
const folder = mkdtempSync(join(tmpdir(), 'kind-model-'));
afterAll(() => rmSync(folder, { recursive: true }));

const path = join(folder, 'note.yaml');
writeFileSync(
  path,
  'format: kind-model\nversion: 1\npartial: true\nkinds: { note: { parameters: { text: { type: string, own: true } } } }\n',
);

interface Line {
  readonly project: string;
  readonly state: string;
  readonly code?: string;
  readonly losses: number;
  readonly ms: number;
}

async function apply(ids: readonly string[]) {
  const { code, out, err } = await runCommand('model', 'apply', path, ...ids, '--json');
  const lines = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  const totals = lines.pop();
  return { code, err, lines, totals, states: lines.map(({ state }) => state) };
}

it('of 50 projects the 20th refuses', async () => {
  const projects: TestProject[] = [];
  while (projects.length < PROJECTS) projects.push(await service.project());
  const ids = projects.map(({ id }) => id);
  const bad = projects[REFUSES] as TestProject;
  // An own parameter of another type, with units.
  await defineKinds(bad, { id: 'note', parameters: [{ id: 'text', kind_id: 'integer', own: true }] });
  await ok(bad.post('/note/unit', { text: 1 }));

  const first = await apply(ids);
  expect(first.code).toBe(1);
  expect(first.states).toEqual([
    ...Array<string>(REFUSES).fill('applied'),
    'refused',
    ...Array<string>(PROJECTS - REFUSES - 1).fill('waiting'),
  ]);
  expect(first.lines.map(({ project }) => project)).toEqual(ids);
  expect(first.lines[REFUSES]).toMatchObject({ code: 'model.bad_file', losses: 0, ms: expect.any(Number) as number });
  expect(first.totals).toEqual({ projects: PROJECTS, applied: REFUSES, refused: 1, waiting: PROJECTS - REFUSES - 1 });
  expect(await ok(bad.get('/note/unit'))).toMatchObject({ count: 1 });
  expect((await (projects[REFUSES + 1] as TestProject).get('/note/unit')).status).toBe(404);

  await ok(bad.call('DELETE', '/kind/unit/note?cascade=true'));
  const second = await apply(ids);
  expect(second.code).toBe(0);
  expect(second.totals).toEqual({ projects: PROJECTS, equal: REFUSES, applied: PROJECTS - REFUSES });
  const third = await runCommand('model', 'plan', path, ...ids);
  expect(third).toMatchObject({ code: 0, out: expect.stringContaining(`50 projects: 50 equal\n`) as string });
});
