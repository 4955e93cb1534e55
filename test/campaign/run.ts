/** `npm run campaign -- <name> [--rounds n] [--seed n]`: the long form of a campaign, with its figures at the end. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { setup } from '../support/compiled.setup.js';
import { CampaignFault, type Campaign } from './campaign.js';
import { CAMPAIGNS } from './campaigns.js';

const DEFAULT_SEED = 20261123;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string' }, seed: { type: 'string' }, units: { type: 'string' } },
});
const [name = ''] = positionals;
const campaign: Campaign | undefined = Object.hasOwn(CAMPAIGNS, name)
  ? CAMPAIGNS[name as keyof typeof CAMPAIGNS]
  : undefined;
const [rounds, seed] = [numberOf(values.rounds, campaign?.rounds ?? 1), numberOf(values.seed, DEFAULT_SEED)];
const units = values.units === undefined ? undefined : numberOf(values.units, 1);
if (!campaign || positionals.length !== 1 || rounds === undefined || seed === undefined) {
  const lines = Object.entries(CAMPAIGNS).map(
    ([id, each]) => `  ${id.padEnd(12)} ${each.about} (${each.rounds} rounds)`,
  );
  console.error(['npm run campaign -- <name> [--rounds n] [--seed n]', ...lines].join('\n'));
  process.exitCode = 2;
} else process.exitCode = await run(campaign, rounds, seed);

function numberOf(text: string | undefined, otherwise: number): number | undefined {
  const number = Number(text ?? otherwise);
  return Number.isInteger(number) && number > 0 ? number : undefined;
}

async function run({ run: runRounds, missing }: Campaign, rounds: number, seed: number): Promise<number> {
  const lacks = missing?.();
  if (lacks !== undefined) {
    console.error(`${name}: NOT RUN: ${lacks}`);
    return 1;
  }
  await setup();
  const folder = mkdtempSync(join(tmpdir(), 'kind-campaign-'));
  const began = performance.now();
  try {
    console.log(`${name}: ${rounds} rounds, seed ${seed}, in ${folder}`);
    const figures = await runRounds({ rounds, seed, units, folder, say: (line) => console.log(line) });
    const seconds = Math.round((performance.now() - began) / 1000);
    for (const [what, value] of Object.entries({ ...figures, seconds })) console.log(`${what}: ${value}`);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    return 0;
  } catch (error) {
    console.error(error instanceof CampaignFault ? error.message : error);
    console.error(`the data and the log of PostgreSQL are in ${folder}`);
    return 1;
  }
}
