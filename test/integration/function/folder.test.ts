/** A file that appears while the folder is being read is never missed: it is listed now, or noticed at the next check. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readFolder } from '../../../src/function/load/folder.js';

const root = await mkdtemp(join(tmpdir(), 'functions-'));
afterAll(() => rm(root, { recursive: true }));

it('detects a file that is added during a scan, now or the next time', async () => {
  const missed: string[] = [];
  for (let round = 0; round < 200; round++) {
    const name = `kind${round}`;
    const reading = readFolder(root);
    // Each round a little later.
    for (let turn = 0; turn < round % 40; turn++) await new Promise(setImmediate);
    await writeFile(join(root, `${name}.ts`), '');
    const first = await reading;
    const next = await readFolder(root);
    const listed = first.files.some(({ kind }) => kind === name);
    if (!listed && next.mark === first.mark) missed.push(name);
    if (round % 20 === 19) for (let gone = round - 19; gone <= round; gone++) await rm(join(root, `kind${gone}.ts`));
  }
  expect(missed).toEqual([]);
});
