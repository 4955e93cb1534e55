/** The kinds of README's tour and of the demo. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const [, tour = ''] = /\/kind\/unit [^']*-d '(\{[^']*\})'/.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? [];
const demo = (await import(join(root, 'scripts/demo/data.mjs'))) as { COUNTRY: { id: string }; CITY: { id: string } };

export const SHOWN_KINDS: readonly { id: string }[] = [JSON.parse(tour) as { id: string }, demo.COUNTRY, demo.CITY];
