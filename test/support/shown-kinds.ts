/** The kinds of README's tour and of the demo. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { defineKinds } from './callers.js';
import { ok } from './definitions.js';
import type { TestProject } from './service.js';

const root = join(import.meta.dirname, '../..');
const [, tour = ''] = /\/kind\/unit [^']*-d '(\{[^']*\})'/.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? [];
const book = JSON.parse(tour) as { id: string };

/** The model of `npm run demo`, as the body of `POST /model/apply`. */
export const DEMO_MODEL = parse(readFileSync(join(root, 'scripts/demo/model.yaml'), 'utf8')) as {
  readonly kinds: Readonly<Record<string, { readonly parameters: object }>>;
};

export const SHOWN_KINDS: readonly string[] = [book.id, ...Object.keys(DEMO_MODEL.kinds)];

export async function defineShownKinds(project: TestProject): Promise<void> {
  await defineKinds(project, book);
  await ok(project.post('/model/apply', DEMO_MODEL));
}
