/** `npm run test:browser`: tests in a browser. They need Chromium and are not part of `npm test`. */
import { defineConfig } from 'vitest/config';
import { BASE, DATABASE_SETUP } from './vitest.config.js';

export default defineConfig({
  ...BASE,
  test: {
    ...BASE.test,
    globalSetup: ['test/support/console.setup.ts', ...DATABASE_SETUP],
    // Two browsers on two cores wait for each other's pictures.
    maxWorkers: 1,
    include: ['test/browser/**/*.browser.ts'],
  },
});
