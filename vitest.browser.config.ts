/** `npm run test:browser`: what only a browser shows. It needs Chromium, and `npm test` goes without. */
import { defineConfig } from 'vitest/config';
import { BASE, DATABASE_SETUP } from './vitest.config.js';

export default defineConfig({
  ...BASE,
  test: { ...BASE.test, globalSetup: DATABASE_SETUP, maxWorkers: 2, include: ['test/browser/**/*.browser.ts'] },
});
