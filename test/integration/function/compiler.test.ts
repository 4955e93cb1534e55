/** Modules are compiled in another process, so that the service does not keep the compiler in memory. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { atEnd } from '../../support/at-end.js';
import { compiled } from '../../support/compiled.js';

const EVALUATOR = pathToFileURL(compiled('function/load/evaluator.js')).href;

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kind-compiler-'));
  atEnd(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
});

/** Evaluates `module.ts` in a process of its own: its default export, and whether that process loaded the compiler. */
async function evaluate(before = ''): Promise<{ value?: unknown; error?: string; hasCompiler: boolean }> {
  const script = `
    import { createRequire } from 'node:module';
    import { Evaluator } from ${JSON.stringify(EVALUATOR)};
    ${before}
    const [folder] = process.argv.slice(1);
    const paths = ['module.ts', 'helper.ts', 'late.ts'].map((name) => folder + '/' + name);
    const generation = await new Evaluator(folder).begin(paths);
    const answer = await generation.import(paths[0], 5000).then(
      (exported) => ({ value: exported.default }),
      (error) => ({ error: error.stack }),
    );
    const loaded = Object.keys(createRequire(import.meta.url).cache);
    console.log(JSON.stringify({ ...answer, hasCompiler: loaded.some((path) => path.endsWith('babel.cjs')) }));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script, folder]);
  return JSON.parse(stdout) as Awaited<ReturnType<typeof evaluate>>;
}

async function write(module: string): Promise<void> {
  await writeFile(join(folder, 'helper.ts'), 'export const twice = (value: number): number => 2 * value;');
  await writeFile(join(folder, 'late.ts'), 'enum Late { one = 1 } export default Late.one;');
  await writeFile(join(folder, 'module.ts'), module);
}

const VALID = `
  import { twice } from './helper.ts';
  const late = await import('./late.ts');
  export default twice(20) + (late.default as number);
`;

it('compiles a module and its helpers there', async () => {
  await write(VALID);
  expect(await evaluate()).toEqual({ value: 41, hasCompiler: false });
});

it('reports a syntax error with file and line', async () => {
  await write('export default 1;\nexport const = 2;');
  const { error, hasCompiler } = await evaluate();
  expect(error).toContain(`${join(folder, 'module.ts')}:2:`);
  expect(hasCompiler).toBe(false);
});

it('compiles in the process itself if no other can be started', async () => {
  await write(VALID);
  expect(await evaluate(`process.execPath = '/no/such/program';`)).toEqual({ value: 41, hasCompiler: true });
});
