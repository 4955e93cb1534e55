/** `npm run test:browser`: tests in a browser. They need Chromium and are not part of `npm test`. */
import { defineConfig } from 'vitest/config';
import { BASE, DATABASE_SETUP } from './vitest.config.js';

export default defineConfig({
  ...BASE,
  test: {
    ...BASE.test,
    globalSetup: ['test/support/console.setup.ts', ...DATABASE_SETUP],
    maxWorkers: 2,
    include: ['test/browser/**/*.browser.ts'],
  },
});
