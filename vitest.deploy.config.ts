/**
 * `npm run test:deploy`: what happens to a service where it runs. What other programs make of it: npm of its package,
 * Prometheus and nginx of `deploy/`, generators of clients and a linter of its API document, Nest's compiler of its sources.
 * And its processes: their starts, several of them, one that hangs or is killed, the embedded PostgreSQL, a pooler before
 * PostgreSQL and a replica beside it, commands that check functions and make backups, the short campaigns. And what many or
 * large requests do: answers of many megabytes, hundreds of edits of one unit at once, patterns that take long. They need
 * Debian's `prometheus` and `nginx` and the packages of `test/deploy/`, which are installed at the first run, and are not
 * part of `npm test`.
 */
import { defineConfig } from 'vitest/config';
import { compiledSources } from './test/support/compiled.js';
import { BASE, DATABASE_SETUP } from './vitest.config.js';

export default defineConfig({
  plugins: [compiledSources(), ...BASE.plugins],
  test: {
    ...BASE.test,
    globalSetup: [
      'test/support/temporary.setup.ts',
      'test/deploy/packages.setup.ts',
      'test/support/compiled.setup.ts',
      ...DATABASE_SETUP,
    ],
    include: ['test/deploy/**/*.deploy.ts'],
    server: { deps: { external: [/\/\.compiled\//] } },
  },
});
