/** Parses the values in a filter: texts, bare or quoted, values of the member or from before an edit, and lists of them. */
import { refusal, type KindError } from '../shared/errors.js';
import { isIdentifier } from '../shared/identifiers.js';
import { shortened } from '../shared/texts.js';
import type { Scalar, Value, ValueList } from './filter.ast.js';
import type { Scanner, ValueContext } from './filter.scanner.js';

/** Before a parameter of the calling member, and of the unit before an edit, in access rules. */
export const MEMBER_PREFIX = '@member.';
export const BEFORE_PREFIX = '@before.';
const MOMENTS_EXPECTED = "'@now', or a whole number of m, h or d from it, at most 100 years, as '@now-7d'";
export const PREFIXES_EXPECTED = "'@member.' or '@before.' and a parameter";

/** `@now`, `@now-7d`, `@now+1h`; a `+` that was not encoded in a URL is a space. */
const MOMENT = /^@now(?:([-+ ])(\d{1,8})([mhd]))?$/;
const SECONDS = { m: 60, h: 3600, d: 86_400 } as const;
/** A hundred years, with their leap days. */
const MAX_SECONDS = 36_525 * SECONDS.d;

/** The seconds from now to the moment that a text stands for; undefined if it stands for none, or one too far off. */
export function secondsFromNow(text: string): number | undefined {
  const [found, sign, count, unit] = MOMENT.exec(text) ?? [];
  if (found === undefined) return undefined;
  if (unit === undefined) return 0;
  const seconds = Number(count) * SECONDS[unit as keyof typeof SECONDS];
  if (seconds > MAX_SECONDS) return undefined;
  return sign === '-' ? -seconds : seconds;
}

/** A text of this form in a filter is a mistake rather than a value: it would match nothing, silently. */
function beforeInFilter(text: string, at: number): KindError {
  const known = 'the value before an edit is known in rules of update and write_access';
  return refusal(
    'filter.bad_value',
    `'${shortened(text)}': ${known}, not in filters (quote a text), at character ${at}`,
  );
}

/** Parses values where the scanner is. */
export class ValueParser {
  /** @param members whether `@member.<name>` and `@before.<name>` are values; otherwise `@` is a plain character, but for `@before.` */
  constructor(
    private readonly scanner: Scanner,
    private readonly members: boolean,
  ) {}

  number(): Scalar {
    const { at } = this.scanner;
    if (this.scanner.peek() === '"') return Object.freeze({ type: 'quoted', text: this.scanner.quoted(), at });
    const text = this.scanner.bare('list');
    if (text === '') throw this.scanner.fail('a number', at);
    return Object.freeze({ type: 'bare', text, at });
  }

  value(): Value | ValueList {
    return this.scanner.peek() === '[' ? this.#bracketedList() : this.scalar('call');
  }

  /** The values of `in`, with or without brackets. */
  list(): ValueList {
    if (this.scanner.peek() === '[') return this.#bracketedList();
    const list = this.#items('list', this.scanner.at);
    if (this.scanner.peek() !== ')') throw this.scanner.fail("',' or ')'");
    return list;
  }

  #bracketedList(): ValueList {
    const { at } = this.scanner;
    this.scanner.expect('[');
    const list = this.#items('brackets', at);
    this.scanner.expect(']', "',' or ']'");
    return list;
  }

  #items(surrounding: ValueContext, at: number): ValueList {
    const items: Value[] = [];
    do {
      if (this.scanner.peek() === '[') {
        throw this.scanner.fail('a value, not a list', this.scanner.at, " (quote a value that begins with '[')");
      }
      items.push(this.scalar(surrounding));
    } while (this.scanner.accept(','));
    return Object.freeze({ type: 'list', items: Object.freeze(items), at });
  }

  scalar(surrounding: ValueContext): Value {
    const { at } = this.scanner;
    if (this.scanner.peek() === '"') return Object.freeze({ type: 'quoted', text: this.scanner.quoted(), at });
    const text = this.scanner.bare(surrounding);
    if (text === '') throw this.scanner.fail('a value', at);
    if (!this.members && text.startsWith(BEFORE_PREFIX)) throw beforeInFilter(text, at);
    if (!this.members || !text.startsWith('@') || secondsFromNow(text) !== undefined) {
      return Object.freeze({ type: 'bare', text, at });
    }
    const prefix = [MEMBER_PREFIX, BEFORE_PREFIX].find((each) => text.startsWith(each)) ?? '';
    const name = text.slice(prefix.length);
    const expected = text.startsWith('@now') ? MOMENTS_EXPECTED : PREFIXES_EXPECTED;
    if (!isIdentifier(name)) throw this.scanner.fail(expected, at, " (quote a text that begins with '@')");
    if (prefix === MEMBER_PREFIX) return Object.freeze({ type: 'member', name, at });
    const path = Object.freeze({ segments: Object.freeze([name]), before: true, at } as const);
    return Object.freeze({ type: 'before', path, at });
  }
}
