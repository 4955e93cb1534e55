/** The short forms of the campaigns. The long ones: `npm run campaign -- <name>` (docs/reliability.md). */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { atEnd } from '../support/at-end.js';
import { CAMPAIGNS } from '../campaign/campaigns.js';

/** Milliseconds between two requests of a client: without them, the load takes all processors as long as it lasts. */
const PAUSE = 15;

/** What every run has: each disturbance once, and what there has to be of it. */
const SHORT = [
  { name: 'kill', rounds: 2, figure: 'stored' },
  { name: 'files', rounds: 2, figure: 'stored' },
  { name: 'restart', rounds: 2, figure: 'stored' },
  { name: 'stop-workers', rounds: 1, figure: 'stored' },
  { name: 'definitions', rounds: 15, figure: 'answers' },
] as const;

it.each(SHORT)('$name', { timeout: 240_000 }, async ({ name, rounds, figure }) => {
  const folder = mkdtempSync(join(tmpdir(), 'kind-campaign-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const options = {
    rounds,
    seed: 20261123,
    folder,
    initialised: inject('initialised'),
    pause: PAUSE,
    short: true,
    say: () => undefined,
  };
  const figures = await CAMPAIGNS[name].run(options);
  expect(Number((figures as Record<string, unknown>)[figure])).toBeGreaterThan(0);
});
