/**
 * `TEST_CITUS_URL=… npm run test:citus`: everything that uses a database, on a coordinator of Citus with two workers, but
 * for what `test/citus/left-out.ts` lists.
 */
import { defineConfig } from 'vitest/config';
import { compiledSources } from './test/support/compiled.js';
import { LEFT_OUT_FILES } from './test/citus/left-out.js';
import { BASE, DATABASE_SETUP, ISOLATED, OTHER_GROUPS } from './vitest.config.js';

const TEST = {
  ...BASE.test,
  setupFiles: [...BASE.test.setupFiles, 'test/support/left-out.setup.ts'],
  // A table is made on three servers, and each statement goes over two.
  testTimeout: 240_000,
  hookTimeout: 240_000,
  expect: { poll: { timeout: 30_000 } },
};

export default defineConfig({
  test: {
    globalSetup: ['test/support/citus.setup.ts', 'test/support/compiled.setup.ts', ...DATABASE_SETUP],
    maxWorkers: 2,
    projects: [
      {
        plugins: [compiledSources(), ...BASE.plugins],
        test: {
          ...TEST,
          name: 'shared',
          include: [
            'test/{citus,conformance,docs,e2e,integration}/**/*.test.ts',
            'functions/**/*.test.ts',
            'test/deploy/{catalog,cli,examples,file,load}/*.deploy.ts',
            'test/deploy/service/{large-values,open-test-project,port,processes,service-registration,start,typeorm}.deploy.ts',
          ],
          exclude: [ISOLATED, ...LEFT_OUT_FILES],
          isolate: false,
          server: { deps: { external: [/\/\.compiled\//] } },
        },
      },
      {
        ...BASE,
        test: { ...TEST, name: 'isolated', include: [ISOLATED], exclude: [...OTHER_GROUPS, ...LEFT_OUT_FILES] },
      },
    ],
  },
});
