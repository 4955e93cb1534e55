/** `npm run test:deploy`: the files of `deploy/` in the programs that read them. They need Debian's `prometheus`, and are not part of `npm test`. */
import { defineConfig } from 'vitest/config';
import { BASE, DATABASE_SETUP } from './vitest.config.js';

export default defineConfig({
  ...BASE,
  test: { ...BASE.test, globalSetup: DATABASE_SETUP, include: ['test/deploy/**/*.deploy.ts'] },
});
