/**
 * `npm run coverage`: which lines of `src/` tests run. They load the sources themselves; what runs in processes that
 * tests start is not counted.
 */
import { defineConfig } from 'vitest/config';
import { BASE, DATABASE_SETUP, ISOLATED, OTHER_GROUPS } from './vitest.config.js';

export default defineConfig({
  test: {
    globalSetup: ['test/support/temporary.setup.ts', 'test/support/compiled.setup.ts', ...DATABASE_SETUP],
    coverage: {
      enabled: true,
      provider: 'v8',
      include: ['{src,packages}/**/*.ts'],
      reporter: ['text-summary', 'html'],
    },
    projects: [
      {
        ...BASE,
        test: {
          ...BASE.test,
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: [ISOLATED, ...OTHER_GROUPS],
          isolate: false,
        },
      },
      { ...BASE, test: { ...BASE.test, name: 'isolated', include: [ISOLATED], exclude: OTHER_GROUPS } },
    ],
  },
});
