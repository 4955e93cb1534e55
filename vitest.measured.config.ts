/** `npm run test:measured`: tests that measure time or memory, on a machine with nothing else to do. They are not part of `npm test`. */
import { defineConfig } from 'vitest/config';
import { BASE, DATABASE_SETUP } from './vitest.config.js';

export default defineConfig({
  ...BASE,
  test: {
    ...BASE.test,
    // V8 as in the service: the other tests collect garbage on the main thread.
    execArgv: [],
    globalSetup: DATABASE_SETUP,
    include: ['test/measured/**/*.test.ts'],
    fileParallelism: false,
  },
});
