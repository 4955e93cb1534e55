/** Changes texts and JSON values a little, so that they are nearly right. */
import type { Random } from '../random.js';

/** What has a meaning to a parser, to SQL, to JavaScript or to a file system. */
export const TOKENS = [
  ...[
    '(',
    ')',
    '[',
    ']',
    '{',
    '}',
    ',',
    '.',
    ';',
    ':',
    '"',
    "'",
    '\\',
    '%',
    '_',
    '*',
    '/',
    '..',
    '@',
    '$',
    '&',
    '=',
    '+',
  ],
  ...[
    'and(',
    'not(',
    'or(',
    'eq(',
    'in(',
    'isnull(',
    'all()',
    'exists(',
    'linked(',
    'count_related(',
    'sum_related(',
    'similar(',
    'mul(',
    'near(',
    '@member.id',
  ],
  ...[
    "'; DROP TABLE city; --",
    "' OR '1'='1",
    '$1',
    '::text',
    '/*',
    '--',
    'now()',
    'pg_sleep(1)',
    'null',
    'true',
    'NaN',
  ],
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'then', 'length', '../../etc/passwd', '%00', '%2e%2e'],
  ...['9007199254740993', '-1', '1e309', '0x10', '99999999999999999999', '0', '', ' ', '\n', '\t', '\u0000', '\ufeff'],
  ...[
    'é',
    '🙂',
    '\u202e',
    '\ud800',
    'x'.repeat(300),
    '((((((((((',
    '2024-02-30',
    'id',
    'kind_id',
    'metadata',
    'a_json.x',
  ],
];

const VALUES: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 1e308, 9007199254740993, '', 'x', '1', [], {}, [null], [[]], { id: null }],
  ...[{ $inc: 1 }, { $set: {} }, { $add: ['x'], $remove: 1 }, { $merge: { a: null } }, { $from: 'a.id' }],
  ...[{ constructor: 1 }, '\u0000', '🙂', 'x'.repeat(5000), '2024-02-30', '01-01-2020', { filter: {} }],
];

/** One to three changes of a text. */
export function mutatedText(text: string, random: Random): string {
  let changed = text;
  for (let times = random.from(1, 3); times > 0; times -= 1) {
    const at = random.from(0, changed.length);
    const to = Math.min(changed.length, at + random.from(0, 6));
    const [head, middle, tail] = [changed.slice(0, at), changed.slice(at, to), changed.slice(to)];
    changed = random.pick([
      () => head + random.pick(TOKENS) + tail,
      () => head + random.pick(TOKENS) + middle + tail,
      () => head + tail,
      () => head + middle + middle + tail,
      () => head + middle.split('').reverse().join('') + tail,
      () => (random.chance(0.1) ? random.pick(TOKENS) : head + middle.toUpperCase() + tail),
    ])();
  }
  return changed.slice(0, 12_000);
}

/** One change somewhere in a value. */
export function mutatedJson(value: unknown, random: Random): unknown {
  if (random.chance(0.15)) return random.pick(VALUES);
  if (Array.isArray(value) && value.length > 0 && random.chance(0.8)) {
    const at = random.from(0, value.length - 1);
    const changed = mutatedJson(value[at], random);
    if (random.chance(0.1)) return [...(value as unknown[]), changed];
    return (value as unknown[]).map((each, index) => (index === at ? changed : each));
  }
  if (typeof value === 'object' && value !== null) return mutatedObject(value as Record<string, unknown>, random);
  if (typeof value === 'string' && random.chance(0.6)) return mutatedText(value, random);
  if (typeof value === 'number' && random.chance(0.5)) return value * random.pick([-1, 0.1, 1e6, 1e300]);
  return random.pick(VALUES);
}

function mutatedObject(value: Record<string, unknown>, random: Random): Record<string, unknown> {
  const keys = Object.keys(value);
  const drawn = random.next();
  if (keys.length === 0 || drawn < 0.15) return { ...value, [random.pick(TOKENS)]: random.pick(VALUES) };
  const key = random.pick(keys);
  if (drawn < 0.3) return Object.fromEntries(Object.entries(value).filter(([each]) => each !== key));
  return { ...value, [key]: mutatedJson(value[key], random) };
}
