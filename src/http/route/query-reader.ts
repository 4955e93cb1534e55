/** Reads the query parameters of endpoints for lists, and collects their faults. */
import type { Filter } from '../../filter/filter.ast.js';
import { parseFilter } from '../../filter/filter.parser.js';
import { type OrderBy, parseOrder } from '../../filter/order.js';
import { KindError, type ErrorCode, type Faults } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import type { QueryName } from './query-names.js';

/** Each method reads a parameter. If the value is malformed, it reports the fault and returns what stands for none. */
export class QueryReader {
  /** @param query the texts of each parameter */
  constructor(
    private readonly query: ReadonlyMap<string, readonly string[]>,
    private readonly faults: Faults,
  ) {}

  bad(name: QueryName, wants: string): void {
    this.faults.add('query.bad_value', `${name}: ${wants}`, { parameter: name });
  }

  conflict(a: QueryName, b: QueryName): void {
    this.faults.add('query.conflict', `${a} and ${b} exclude each other`, { parameter: b });
  }

  has(name: QueryName): boolean {
    return this.query.has(name);
  }

  single(name: QueryName): string | undefined {
    const values = this.query.get(name);
    if (values && values.length > 1) this.bad(name, 'given more than once');
    return values?.[0];
  }

  /** @param what whose id is wanted */
  required(name: QueryName, what: string): string | undefined {
    const text = this.single(name);
    if (text !== undefined && text !== '') return text;
    this.bad(name, `wants the id of ${what}`);
    return undefined;
  }

  flag(name: QueryName): boolean {
    return this.choice(name, ['true', 'false'], 'false') === 'true';
  }

  number(name: QueryName, absent: number, max: number, min = 0): number {
    const text = this.single(name);
    if (text === undefined) return absent;
    const value = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
    if (value >= min && value <= max) return value;
    this.bad(name, `wants a whole number from ${min} to ${max}, got '${text.slice(0, 40)}'`);
    return absent;
  }

  choice<T extends string>(name: QueryName, choices: readonly [T, ...T[]], absent: T): T {
    const text = this.single(name);
    if (text === undefined) return absent;
    const found = choices.find((choice) => choice === text);
    if (!found) this.bad(name, `wants ${choices.join(', ')}, got '${text.slice(0, 40)}'`);
    return found ?? absent;
  }

  filter(name: QueryName): Filter | undefined {
    const text = this.single(name);
    return text === undefined ? undefined : this.#parsed(name, () => parseFilter(text), undefined);
  }

  /** The values of all texts of a parameter; undefined if there is none. */
  all<T>(name: QueryName, parse: (text: string) => readonly T[]): T[] | undefined {
    return this.query.get(name)?.flatMap((text) => this.#parsed(name, () => parse(text), []));
  }

  order(): OrderBy[] {
    const parsed = (text: string) => this.#parsed('order', () => parseOrder(text), [], 'query.bad_value');
    const terms = (this.query.get('order') ?? []).flatMap(parsed);
    if (terms.length > LIMITS.orderTerms) this.bad('order', `at most ${LIMITS.orderTerms} terms`);
    return terms;
  }

  names(name: QueryName): string[] | undefined {
    const texts = this.query.get(name);
    if (!texts) return undefined;
    const names = texts.flatMap(unbracket);
    if (names.some((each) => each === '')) this.bad(name, 'wants ids, separated by commas');
    return [...new Set(names.filter((each) => each !== ''))];
  }

  /**
   * The texts of the faults of other parameters than `filter` begin with the parameter.
   * @param code replaces those of the faults
   */
  #parsed<T>(name: QueryName, parse: () => T, otherwise: T, code?: ErrorCode): T {
    try {
      return parse();
    } catch (error) {
      if (!(error instanceof KindError)) throw error;
      if (name === 'filter') this.faults.addAll(error);
      else this.faults.addAllOf(name, error, code);
      return otherwise;
    }
  }
}

/** Splits `[a,b]` and `a,b`. */
export function unbracket(text: string): string[] {
  const inner = /^\s*\[(.*)\]\s*$/s.exec(text)?.[1] ?? text;
  return argumentsIn(inner);
}

/** Splits a text at its commas, except those inside quotes, and inside parentheses that are closed. */
function argumentsIn(text: string): string[] {
  if (!/[("]/.test(text)) return text.split(',').map((part) => part.trim());
  const parts: string[] = [''];
  let [open, quoted, escaped] = [0, false, false];
  for (const character of text) {
    if (escaped) escaped = false;
    else if (quoted && character === '\\') escaped = true;
    else if (character === '"') quoted = !quoted;
    else if (!quoted && character === '(') open += 1;
    else if (!quoted && character === ')') open -= 1;
    if (character === ',' && open <= 0 && !quoted) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts.map((part) => part.trim());
}
