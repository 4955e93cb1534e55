/** Parsing a body in pieces gives the same value, or fails as parsing it at once does. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseInPieces, readJson } from '../../../src/http/body/json-pieces.js';
import { parseJson } from '../../../src/http/body/json-text.js';
import { KindError } from '../../../src/shared/errors.js';
import { LIMITS } from '../../../src/shared/limits.js';
import { runSync } from '../../../src/shared/work-in-pieces.js';
import { runs } from '../../support/runs.js';

interface Outcome {
  readonly value?: unknown;
  /** Keys in their order. */
  readonly text?: string;
  readonly fault?: 'is no JSON';
}

function outcomeOf(parse: () => unknown): Outcome {
  try {
    const value = parse();
    return { value, text: JSON.stringify(value) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { fault: 'is no JSON' };
  }
}

function same(text: string, piece: number): void {
  expect(outcomeOf(() => runSync(parseInPieces(Buffer.from(text), { piece })))).toEqual(
    outcomeOf(() => parseJson(text)),
  );
}

const space = fc.constantFrom('', ' ', '\n', '\t\r ');
const key = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', '10', 'a"b', 'a\\', '\\"', '[', '}'));
const { value: texts } = fc.letrec<{ value: string; list: string; object: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(
      fc.jsonValue({ maxDepth: 0 }).map((each) => JSON.stringify(each)),
      fc.string().map((each) => JSON.stringify(each)),
      fc.constantFrom('9007199254740993', '0.1234567890123456', '1e400', '-0.0', 'true', '"\\u00e9\\\\"'),
    ),
    tie('list'),
    tie('object'),
  ),
  list: fc
    .array(fc.tuple(space, tie('value'), space), { maxLength: 6 })
    .map((items) => `[${items.map((each) => each.join('')).join(',')}]`),
  object: fc
    .array(fc.tuple(space, key, space, space, tie('value'), space), { maxLength: 6 })
    .map(
      (items) =>
        `{${items.map(([a, name, b, c, value, d]) => `${a}${JSON.stringify(name)}${b}:${c}${value}${d}`).join(',')}}`,
    ),
}));

describe('a body in pieces', () => {
  it('equals a body parsed at once, whatever the size of the pieces', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 40 }), space, (text, piece, around) =>
        same(`${around}${text}${around}`, piece),
      ),
      { numRuns: runs(1000) },
    );
  });

  it('is invalid whenever parsing at once is, with a changed, missing or additional character', () => {
    const edits = fc.tuple(fc.nat(), fc.constantFrom('', ',', ':', '"', '[', ']', '{', '}', '\\', 'x', ' ', '\u00a0'));
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 40 }), edits, fc.boolean(), (text, piece, [where, by], over) => {
        const at = where % text.length;
        same(text.slice(0, at) + by + text.slice(over ? at : at + 1), piece);
      }),
      { numRuns: runs(2000) },
    );
  });

  it.each([
    '',
    ' ',
    '[',
    ']',
    '[1,]',
    '[,1]',
    '{"a":1,}',
    '{,}',
    '[[1]2]',
    '[[1],]',
    '{"a":{}"b":{}}',
    '[1] 2',
    '"x',
    '"x"',
  ])('is as JSON says: %j', (text) => same(text, 1));

  it('that is invalid reports the byte', () => {
    const text = `{"a":[${'1,'.repeat(50_000)}1],"b":tru}`;
    expect(() => runSync(parseInPieces(Buffer.from(text)))).toThrow('unexpected text after byte 100009');
  });

  it('is refused with too many keys, elements or levels in one place', () => {
    const refused = (text: string) => {
      try {
        runSync(parseInPieces(Buffer.from(text)));
        return undefined;
      } catch (error) {
        return error instanceof KindError ? error.message : String(error);
      }
    };
    const keys = (count: number) => `{${Array.from({ length: count }, (_, at) => `"key${at}":1`).join(',')}}`;
    expect(refused(keys(LIMITS.jsonKeys))).toBeUndefined();
    expect(refused(`[${keys(LIMITS.jsonKeys + 1)}]`)).toBe(
      'body.too_many: The body has an object of more than 50000 keys',
    );
    const list = (count: number) => `{"a":[${'1,'.repeat(count - 1)}1]}`;
    expect(refused(list(LIMITS.jsonValues))).toBeUndefined();
    expect(refused(list(LIMITS.jsonValues + 1))).toBe(
      'body.too_many: The body has a list of more than 500000 elements',
    );
    const lists = (count: number) =>
      `[${Array.from({ length: 8 }, () => `[${'[],'.repeat(count / 8 - 2)}[]]`).join(',')}]`;
    expect(refused(lists(LIMITS.bodyContainers - 8))).toBeUndefined();
    expect(refused(lists(LIMITS.bodyContainers))).toBe(
      'body.too_many: The body has more than 1000000 objects and lists',
    );
    const nested = (depth: number) => `${'['.repeat(depth)}"${'x'.repeat(70_000)}"${']'.repeat(depth)}`;
    expect(refused(nested(LIMITS.bodyDepth))).toBeUndefined();
    expect(refused(nested(LIMITS.bodyDepth + 1))).toBe('body.too_many: The body is nested deeper than 200 levels');
  });

  it('from the service itself is read with plain numbers, without limits', async () => {
    const keys = Object.fromEntries(Array.from({ length: LIMITS.jsonKeys + 1 }, (_, at) => [`key${at}`, at / 3]));
    const deep = '['.repeat(LIMITS.bodyDepth + 1) + ']'.repeat(LIMITS.bodyDepth + 1);
    const text = `{"keys":${JSON.stringify(keys)},"deep":${deep},"long":"${'\\"'.repeat(100_000)}"}`;
    expect(await readJson(text, 'project_x')).toEqual(JSON.parse(text));
    expect(readJson('{"a":0.1234567890123456789}', 'project_x')).toEqual({ a: 0.12345678901234568 });
  });

  it('has pauses in long texts, white space and nested values', () => {
    const pauses = (text: string) => {
      const work = parseInPieces(Buffer.from(text));
      let count = 0;
      while (!work.next().done) count += 1;
      return count;
    };
    const long = 2_000_000;
    expect(pauses(`{"a":"${'\\"'.repeat(long / 2)}"}`)).toBeGreaterThan(20);
    expect(pauses(`{"a":1${' '.repeat(long)}}`)).toBeGreaterThan(20);
    expect(pauses(`[${'[[1]],'.repeat(long / 6)}1]`)).toBeGreaterThan(20);
  });
});
