/** Properties over arbitrary trees and texts: print and parse are inverse, and no text does harm. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  COMPARATORS,
  type Filter,
  type ValueList,
  type MemberRef,
  type Path,
  type Scalar,
} from '../../../src/filter/filter.ast.js';
import { parseFilter } from '../../../src/filter/filter.parser.js';
import { printFilter } from '../../../src/filter/filter.printer.js';
import { KindError } from '../../../src/shared/errors.js';
import { combinedFilters } from '../../support/combined-filters.js';
import { changeLimit } from '../../support/limits.js';
import { runs } from '../../support/runs.js';
import { code, withoutPositions } from './filter.support.js';

const HOSTILE = [
  ...'"\\()[],.@ \t\n%_\'',
  '\u00a0',
  '\u2028',
  '\ufeff',
  '🙂',
  '👩‍👩‍👧',
  'م',
  '\u202e',
  'e\u0301',
  'ﬀ',
  'a',
  '1',
];
/** Characters. */
const SIZE = 256 * 1024;
const TOKENS = [...HOSTILE, 'and(', 'not(', 'in(', 'eq(a,', 'isnull(', '@member.', 'true', '\0', '\ud83d', '""', '\\"'];

const hostile = fc.oneof(
  fc.array(fc.constantFrom(...HOSTILE), { maxLength: 8 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 8 }).map((text) => text.replaceAll('\0', '')),
  fc.string({ maxLength: 8 }),
);
const identifier = fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/);

const path: fc.Arbitrary<Path> = fc
  .tuple(fc.array(fc.oneof(identifier, hostile), { minLength: 1, maxLength: 3 }), fc.boolean())
  .map(([segments, ofMember]) => ({ segments, at: 0, ...(ofMember && { member: true }) }));
const quoted: fc.Arbitrary<Scalar> = hostile.map((text) => ({ type: 'quoted', text, at: 0 }));
/** A text that may stand bare anywhere. */
const bare: fc.Arbitrary<Scalar> = hostile
  .map((text) => text.replaceAll(/[()[\],]/g, '').trim())
  .filter((text) => text !== '' && !/^["@]/.test(text))
  .map((text) => ({ type: 'bare', text, at: 0 }));
const member: fc.Arbitrary<MemberRef> = identifier.map((name) => ({ type: 'member', name, at: 0 }));
const value = fc.oneof(quoted, bare, member);
const list: fc.Arbitrary<ValueList> = fc
  .array(value, { minLength: 1, maxLength: 4 })
  .map((items) => ({ type: 'list', items, at: 0 }));
const test: fc.Arbitrary<Filter> = fc.oneof(
  fc.record({ op: fc.constantFrom(...COMPARATORS), path, value: fc.oneof(value, list), at: fc.constant(0) }),
  fc.record({ op: fc.constant('in' as const), path, value: list, at: fc.constant(0) }),
  fc.record({ op: fc.constant('isnull' as const), path, value: fc.boolean(), at: fc.constant(0) }),
);
const filter = combinedFilters([{ weight: 2, arbitrary: test }], { maxDepth: 4, maxLength: 3, not: 2 });

const anyText = fc.oneof(
  fc.array(fc.constantFrom(...TOKENS), { maxLength: 60 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 200 }).map((units) => String.fromCharCode(...units)),
  fc.string({ unit: fc.constantFrom(...TOKENS), minLength: 1000, maxLength: 4000 }),
);

describe('print and parse', () => {
  it('are inverse except for positions', () => {
    fc.assert(
      fc.property(filter, (tree) => {
        const text = printFilter(tree);
        const parsed = parseFilter(text, { members: true });
        expect(withoutPositions(parsed)).toEqual(tree);
        expect(printFilter(parsed)).toBe(text);
      }),
      { numRuns: runs(700) },
    );
  });

  it('keep the text of every value, however it was written', () => {
    fc.assert(
      fc.property(hostile, hostile, fc.constantFrom('bare', 'quoted'), (text, other, type) => {
        const items = [text, other].map((item) => ({ type, text: item, at: 0 }) as const);
        const [first] = items as [Scalar, Scalar];
        const path = { segments: ['a'], at: 0 };
        for (const tree of [
          { op: 'eq', path, value: first, at: 0 },
          { op: 'eq', path, value: { type: 'list', items, at: 0 }, at: 0 },
          { op: 'in', path, value: { type: 'list', items, at: 0 }, at: 0 },
        ] satisfies Filter[]) {
          for (const members of [true, false]) {
            const quotedTree = JSON.stringify(tree).replaceAll('"bare"', '"quoted"');
            const parsed = JSON.stringify(withoutPositions(parseFilter(printFilter(tree), { members })));
            expect(parsed.replaceAll('"bare"', '"quoted"')).toBe(quotedTree);
          }
        }
      }),
      { numRuns: runs(700) },
    );
  });

  it('are inverse for whatever the parser accepts', () => {
    fc.assert(
      fc.property(hostile, fc.constantFrom('eq(a,', 'in(a,', 'eq(a,[', 'in(a,['), (text, call) => {
        const source = `${call}${text}${call.endsWith('[') ? ']' : ''})`;
        fc.pre(code(source, { members: true }) === 'accepted');
        const tree = parseFilter(source, { members: true });
        expect(withoutPositions(parseFilter(printFilter(tree), { members: true }))).toEqual(withoutPositions(tree));
      }),
      { numRuns: runs(700) },
    );
  });
});

describe('any text', () => {
  it('is either parsed or rejected with a position', () => {
    fc.assert(
      fc.property(anyText, fc.boolean(), (text, members) => {
        try {
          parseFilter(text, { members });
        } catch (error) {
          if (!(error instanceof KindError)) throw error;
          expect(error.code).toMatch(/^filter\.(syntax|unknown_operator|too_large)$/);
          const at = Number(/ at character (\d+)/.exec(error.message)?.[1]);
          if (error.code === 'filter.too_large' && Number.isNaN(at)) return;
          expect(at).toBeGreaterThanOrEqual(1);
          expect(at).toBeLessThanOrEqual([...text].length + 1);
        }
      }),
      { numRuns: runs(700) },
    );
  });

  // 32 times the limit: what is not linear takes a thousand times as long as a text of 8 KiB.
  it.each([
    ['a long value', `eq(a,${'x'.repeat(SIZE)})`],
    ['a long list', `in(a,${'x,'.repeat(SIZE / 2)}x)`],
    ['long white space', `eq(a,x${' '.repeat(SIZE)})`],
    ['white space and no end', `eq(a,${' '.repeat(SIZE)}`],
    ['a long quoted value', `eq(a,"${'\\"'.repeat(SIZE / 2)}")`],
    ['a long path', `isnull(${'a.'.repeat(SIZE / 2)}a)`],
    ['a long operator', 'x'.repeat(SIZE)],
    ['many parentheses', `eq(a,${'()'.repeat(SIZE / 2)})`],
  ])('of 256 KiB is read within the timeout, as what is not linear would not be: %s', (_, text) => {
    expect(code(text)).toContain('at most 8192 bytes');
    changeLimit('filterBytes', 2 * SIZE);
    expect(code(text)).not.toMatch(/bytes/);
  });
});
