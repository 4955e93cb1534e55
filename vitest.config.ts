import swc from 'unplugin-swc';
import { defineConfig } from 'vitest/config';
import { compiledSources } from './test/support/compiled.js';
import { LongestFirst } from './test/support/sequencer.js';
import { WAIT } from './test/support/wait-time.js';

/** Tests that change a module have their own ones; all others share the modules of their worker. */
export const ISOLATED = 'test/**/*.isolated.test.ts';
/** Groups of their own, and the packages of one of them. */
export const OTHER_GROUPS = ['test/measured/**', 'test/deploy/**'];

/** What every project has. One PostgreSQL serves the whole run. */
export const BASE = {
  plugins: [swc.vite({ swcrc: false, module: { type: 'es6' as const } })],
  test: {
    pool: 'forks' as const,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    setupFiles: ['test/support/seed.setup.ts', 'test/support/hashes.setup.ts', 'test/support/waits.setup.ts'],
    expect: { poll: { timeout: WAIT } },
    // Most code of a test runs a few times: V8 optimizes it later, compiles it to unoptimized machine code with its first
    // call instead of interpreting it until then, and collects short-lived objects less often; on one thread, because the
    // other processors have work of their own.
    execArgv: [
      // Only the V8 of Node 20 has it.
      ...(process.versions.node.startsWith('20.') ? ['--interrupt-budget=1000000'] : []),
      '--always-sparkplug',
      '--min-semi-space-size=32',
      '--max-semi-space-size=64',
      '--single-threaded-gc',
      // A use of something deprecated fails the run.
      '--throw-deprecation',
    ],
  },
};
/** The same, with `src/` as `npm start` compiles it. */
export const COMPILED_BASE = {
  plugins: [compiledSources(), ...BASE.plugins],
  test: { ...BASE.test, server: { deps: { external: [/\/\.compiled\//] } } },
};
export const DATABASE_SETUP = ['test/support/database.setup.ts'];

export default defineConfig({
  test: {
    globalSetup: ['test/support/temporary.setup.ts', 'test/support/compiled.setup.ts', ...DATABASE_SETUP],
    // One more than two cores: many tests wait for processes.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        ...COMPILED_BASE,
        test: {
          ...COMPILED_BASE.test,
          name: 'shared',
          include: ['test/**/*.test.ts', 'console/test/**/*.test.ts', 'functions/**/*.test.ts'],
          exclude: [ISOLATED, ...OTHER_GROUPS],
          isolate: false,
        },
      },
      {
        ...COMPILED_BASE,
        test: { ...COMPILED_BASE.test, name: 'isolated', include: [ISOLATED], exclude: OTHER_GROUPS },
      },
    ],
  },
});
