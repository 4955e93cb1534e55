/** The signatures in docs/functions.md are those of the kit. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TypeChecker } from '../../src/cli/functions/type-check.js';
import { FunctionsFolder } from '../support/functions.js';
import { codeBlocks } from './markdown.js';

const page = readFileSync(join(import.meta.dirname, '../../docs/functions.md'), 'utf8');
const signatures = codeBlocks(page).find(({ info }) => info === 'ts signatures')?.text ?? '';
const told = [...signatures.matchAll(/^interface (\w+)(?:<([^>]*)>)?/gm)].map(([, name = '', parameters]) => {
  const given = parameters?.split(', ').map((each) => each.replace(/ (?:extends|=) .*/, ''));
  return { name, takes: parameters ? `<${parameters}>` : '', given: given ? `<${given.join(', ')}>` : '' };
});
/** What the block names and does not tell. */
const others =
  'AnyUnit, ChangesOf, ExpressionsOf, FunctionAccess, GivenFor, Grouped, Included, KindId, KnownLinkType, LinkedUnit, LinkRecord, LinkTypeId, LinkValuesFor, LinkValuesOf, ParameterDeclarations, Returned, Returns, SomeOf, Terms, UnitOf, ValuesFor, ValuesOf, WithEtag';
const SAME =
  'export type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : [A, B];';
const comparison = (block: string) =>
  [
    `import type * as kit from 'kind'; import type { ${others} } from 'kind';`,
    "import type { Readable } from 'node:stream';",
    SAME,
    block,
    ...told.map(({ name, takes, given }) => {
      return `export const same${name} = ${takes}(): Same<${name}${given}, kit.${name}${given}> => true;`;
    }),
  ].join('\n');

test(
  'the signatures of the page equal those of the kit, and a difference is detected',
  { timeout: 60_000 },
  async () => {
    const names = [
      'Context',
      'Data',
      'Units',
      'ListOptions',
      'AggregateOptions',
      'Links',
      'LinkTo',
      'LinkAllOptions',
      'LinkFields',
      'WalkOptions',
      'WalkPage',
      'PathOptions',
      'Groups',
      'FunctionOptions',
      'Hooks',
    ];
    expect(told.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
    const other = signatures.replace('find(id: string,', 'find(id: string | number,');
    const files = { '_same.ts': comparison(signatures), '_other.ts': comparison(other) };
    const own = new FunctionsFolder(files);
    const checker = await TypeChecker.make(own.path);
    const faults = checker?.check(
      Object.keys(files).map((name) => join(own.path, name)),
      'export {};',
    );
    expect(faults?.filter(({ file }) => file === '_same.ts')).toEqual([]);
    expect(faults?.filter(({ file }) => file === '_other.ts')).not.toEqual([]);
  },
);
