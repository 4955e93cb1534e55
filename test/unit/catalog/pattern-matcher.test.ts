/** Patterns: what they match, their limits, and that projects do not wait for each other's patterns. */
import { afterAll, describe, expect, it } from 'vitest';
import { PatternMatcher } from '../../../src/catalog/pattern/pattern-matcher.js';
import { PatternThread } from '../../../src/catalog/pattern/pattern-thread.js';
import { PatternChecks } from '../../../src/model/check/pattern-checks.js';

const patterns = new PatternMatcher();
afterAll(() => patterns.onApplicationShutdown());

/** 2003 instructions that are all alive at every character. */
const COSTLY = '(?i)(?:[ab]?){500}(?:[bc]?){500}[xy]';
const text = (length: number) => 'ab'.repeat(length / 2);

interface Told {
  readonly code: string;
  readonly text: string;
}

async function judged(
  texts: readonly [pattern: string, text: string][],
  checks = new PatternChecks(),
): Promise<Told[]> {
  const told: Told[] = [];
  for (const [pattern, each] of texts) {
    checks.texts.push({ pattern, text: each, report: (code, text) => told.push({ code, text }) });
  }
  await patterns.settle('p', checks);
  return told;
}

async function defined(pattern: string): Promise<Told[]> {
  const told: Told[] = [];
  const checks = new PatternChecks();
  checks.defined.push({ pattern, report: (code, text) => told.push({ code, text }) });
  await patterns.settle('p', checks);
  return told;
}

describe('a text', () => {
  // A pattern is found anywhere, unless it says otherwise.
  it.each([
    ['xay', 'a', true],
    ['xay', '^a', false],
    ['a\n', '^a$', false],
    ['Ä', '^\\p{Lu}$', true],
    ['😀', '^.$', true],
    [`${'a'.repeat(50_000)}!`, '^(a+)+$', false],
    [`${text(1000)}x`, COSTLY, true],
    [text(1000), COSTLY, false],
    ['', '', true],
  ])('matches as RE2 does, on the event loop and apart from it: row %#', async (each, pattern, matches) => {
    // The first time nothing is known of the pattern.
    for (let time = 1; time <= 2; time += 1) {
      const told = await judged([[pattern, each]]);
      expect(told.map(({ code }) => code)).toEqual(matches ? [] : ['parameter.pattern_mismatch']);
    }
    const outcomes = await patterns.match('p', [{ pattern, text: each }], { workerTime: 0, seconds: 10 });
    expect(outcomes).toEqual([matches ? 'match' : 'mismatch']);
  });

  it('that would take too many steps is rejected, alone and with others', async () => {
    expect(await judged([[COSTLY, text(100_000)]])).toEqual([
      { code: 'parameter.too_long', text: 'too long to be matched against its pattern, got 100000 characters' },
    ]);
    const two = await judged([
      ['a', 'a'],
      [COSTLY, `${text(2000)}x`],
      [COSTLY, `${text(2000)}x`],
    ]);
    expect(two.map(({ text: told }) => told)).toEqual([
      'with the others of the unit too long to be matched against patterns',
    ]);
  });

  it('is rejected when its request has used up its time, with advice', async () => {
    const checks = new PatternChecks();
    checks.workerTime = checks.seconds * 1000;
    const [fault] = await judged([[COSTLY, text(2000)]], checks);
    expect(fault).toMatchObject({ code: 'parameter.too_long', text: expect.stringContaining('send fewer units') });
    // What is small needs no time of the worker.
    expect(await judged([['^a$', 'a']], checks)).toEqual([]);
  });
});

describe('a pattern', () => {
  it('that is invalid or too large is rejected', async () => {
    expect((await defined('['))[0]?.text).toMatch(/^is no regular expression of the RE2 dialect: /);
    expect((await defined('a{1000}'.repeat(70)))[0]?.text).toMatch(/^is too large: 70\d\d\d instructions/);
    expect(await defined(COSTLY)).toEqual([]);
  });

  it('that is rejected itself is not applied to the default', async () => {
    const told: string[] = [];
    const checks = new PatternChecks();
    const report = (code: string) => void told.push(code);
    checks.defined.push({ pattern: '(', report });
    checks.texts.push({ pattern: '(', text: 'x', report });
    await patterns.settle('p', checks);
    expect(told).toEqual(['parameter.bad_pattern']);
  });

  it('is compiled outside the event loop, without delaying other requests of the project', async () => {
    const large = Array.from({ length: 5 }, (_, at) => `(a?){1000}{1}${'(a?){1000}'.repeat(40)}${at}`);
    let done = false;
    const all = Promise.all(large.map((each) => defined(each))).finally(() => (done = true));
    let turns = 0;
    while (!done) {
      await new Promise((resolve) => setImmediate(resolve));
      turns += 1;
    }
    expect((await all).flat().map(({ code }) => code)).toEqual(large.map(() => 'parameter.bad_pattern'));
    // On the event loop, each pattern would be one turn.
    expect(turns).toBeGreaterThan(20);
  });
});

it('projects take turns: one with little to match does not wait for one with much', async () => {
  const time = () => ({ workerTime: 0, seconds: 60 });
  await patterns.match('warm', [{ pattern: COSTLY, text: text(10) }], time());
  const order: string[] = [];
  const much = Array.from({ length: 20 }, (_, at) => ({ pattern: COSTLY, text: `${at}${text(2000)}` }));
  const large = patterns.match('large', much, time()).then(() => order.push('large'));
  const small = patterns.match('small', [{ pattern: COSTLY, text: text(10) }], time()).then(() => order.push('small'));
  await Promise.all([large, small]);
  expect(order).toEqual(['small', 'large']);
});

it('work that takes too long is ended with its thread, and the next work gets a new thread', async () => {
  const worker = new PatternThread();
  const texts = Array.from({ length: 2000 }, (_, at) => `${at}${text(2000)}`);
  expect(await worker.run([{ pattern: COSTLY, texts }], 1)).toBeUndefined();
  expect(await worker.run([{ pattern: '^a$', texts: ['a', 'b'] }], 10_000)).toEqual([
    { size: expect.any(Number), matches: [true, false] },
  ]);
  await worker.stop();
});
