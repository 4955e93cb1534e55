/** `npm run test:measured`: tests that measure time or memory, on a machine with nothing else to do. They are not part of `npm test`. */
import { defineConfig } from 'vitest/config';
import { COMPILED_BASE, DATABASE_SETUP } from './vitest.config.js';

export default defineConfig({
  test: {
    globalSetup: ['test/support/compiled.setup.ts', ...DATABASE_SETUP],
    fileParallelism: false,
    projects: [
      {
        ...COMPILED_BASE,
        test: {
          ...COMPILED_BASE.test,
          name: 'measured',
          // V8 as in the service: the other tests collect garbage on the main thread.
          execArgv: [],
          include: ['test/measured/**/*.test.ts'],
          // The machine may have something to do after all; code that blocks others does so in each attempt.
          retry: 2,
        },
      },
    ],
  },
});
