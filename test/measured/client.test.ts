/** How much of a processor TypeScript takes for the client of 200 kinds and a program that uses it, more than for an empty program. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { clientFolder, writeClient } from '../support/client.js';
import { largeTypes, PROGRAM } from '../support/large-client.js';

const MOST_SECONDS = 2;
const ROUNDS = 3;
const ROOT = join(import.meta.dirname, '../..');
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');

interface Measured {
  readonly seconds: number;
  readonly instantiations: number;
}

/** Also of the threads that collect garbage. */
const TELL_CPU = `data:text/javascript,process.on('exit',()=>{const{user,system}=process.cpuUsage();console.log('CPU: '+(user+system)/1e6)})`;

/** What the compiler takes for a file of the folder. */
function compile(folder: string, name: string): Measured {
  const options = ['--noEmit', '--strict', '--target', 'es2020', '--module', 'nodenext', '--lib', 'es2022,dom'];
  const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types'), '--skipLibCheck'];
  const told = execFileSync(
    process.execPath,
    ['--import', TELL_CPU, TSC, ...options, ...types, '--extendedDiagnostics', join(folder, name)],
    { cwd: folder, encoding: 'utf8' },
  );
  const figure = (label: string) => Number(new RegExp(`^${label}: +([\\d.]+)`, 'm').exec(told)?.[1]);
  return { seconds: figure('CPU'), instantiations: figure('Instantiations') };
}

it('takes less than two seconds', { timeout: 300_000 }, async () => {
  const types = await largeTypes();
  const folder = clientFolder();
  await writeClient(folder, types);
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'use.ts'), PROGRAM);
  writeFileSync(join(folder, 'empty.ts'), 'export {};\n');
  const rounds = Array.from({ length: ROUNDS }, () => {
    const [empty, used] = [compile(folder, 'empty.ts'), compile(folder, 'use.ts')];
    return { seconds: used.seconds - empty.seconds, instantiations: used.instantiations - empty.instantiations };
  });
  const [fastest] = rounds.sort((a, b) => a.seconds - b.seconds);
  const bytes = Buffer.byteLength(types);
  console.log(
    `${bytes} bytes; ${rounds.map(({ seconds }) => seconds.toFixed(2)).join(', ')} s; ${fastest?.instantiations}`,
  );
  expect(fastest?.seconds).toBeLessThan(MOST_SECONDS);
});
