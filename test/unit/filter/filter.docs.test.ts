/** docs/filter.md is true: its examples parse, its errors are these, its operators and limits are those of the code. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FILTER_OPERATORS } from '../../../src/filter/filter.ast.js';
import { parseFilter } from '../../../src/filter/filter.parser.js';
import { LIMITS } from '../../../src/shared/limits.js';
import { code } from './filter.support.js';

const page = readFileSync(new URL('../../../docs/filter.md', import.meta.url), 'utf8');

function examples(language: string): string[] {
  const blocks = [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)\`\`\`$`, 'gm'))];
  return blocks.flatMap((block) => (block[1] ?? '').split('\n')).filter((line) => line !== '');
}

/** The cells of the tables in one section, without heads. */
function rows(heading: string): string[][] {
  const section = page.split(/^#+ /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  const lines = section.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const spans = (cell: string | undefined) => [...(cell ?? '').matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '');

describe('docs/filter.md', () => {
  it.each(examples('filter'))('%s', (text) => expect(code(text)).toBe('accepted'));

  it.each(examples('rule'))('in a rule: %s', (text) => expect(code(text, { members: true })).toBe('accepted'));

  it('has examples', () => {
    expect(examples('filter').length).toBeGreaterThan(30);
    expect(examples('rule').length).toBeGreaterThan(3);
  });

  it('has every operator, and no other', () => {
    const written = rows('Operators').flatMap((row) => spans(row[0]));
    const ops = written.map((text) => parseFilter(text.replace('…', 'c')).op);
    expect(new Set(ops)).toEqual(new Set(FILTER_OPERATORS));
    const ofTypes = rows('What each type has').flatMap((row) => spans(row[1]));
    expect(new Set(ofTypes)).toEqual(new Set(FILTER_OPERATORS));
  });

  it('quotes and tests nulls in filters that parse', () => {
    const written = [...rows('Values and quotes').map((row) => row[1]), ...rows('Null').map((row) => row[0])];
    expect(written.length).toBeGreaterThan(10);
    for (const text of written.flatMap(spans)) expect(code(text), text).toBe('accepted');
  });

  it('has the errors as they are', () => {
    const written = rows('Errors').map((row) => row.map((cell) => spans(cell)[0]?.trim() ?? ''));
    expect(written.length).toBeGreaterThan(5);
    for (const [text = '', error] of written) expect(code(text)).toBe(error);
  });

  it('has the limits as they are', () => {
    expect(rows('Limits').map((row) => Number(row[1]))).toEqual([
      LIMITS.filterBytes,
      LIMITS.filterTests,
      LIMITS.filterDepth,
      LIMITS.references,
      LIMITS.relatedDepth,
      LIMITS.relatedUnits,
      LIMITS.expressionDepth,
      LIMITS.expressions,
      LIMITS.similarCharacters,
    ]);
  });
});
