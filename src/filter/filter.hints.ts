/** Values in a filter that are allowed, and can match nothing: those that a parameter never has, and those in wrong quotes. Pure. */
import { didYouMean, shortened } from '../shared/texts.js';
import type { Filter, Scalar, Test } from './filter.ast.js';
import { filterTests, testValues } from './filter.walk.js';

/** What is known of a parameter. */
interface HintedParameter {
  /** The only values that it has; null if it may have others. */
  readonly values: readonly (string | number)[] | null;
  readonly multiple: boolean;
}

export interface FilterHint {
  /** The path, as in the filter. */
  readonly parameter: string;
  readonly text: string;
}

/** The hints for a filter. @param find undefined for a path that is not known */
export function filterHints(
  filter: Filter,
  find: (segments: readonly string[]) => HintedParameter | undefined,
): FilterHint[] {
  return filterTests(filter).flatMap((test) => {
    const { segments, counted, member } = test.path;
    const parameter = counted || member ? undefined : find(segments);
    if (!parameter) return [];
    const texts = testValues(test).flatMap((value) => ('text' in value ? (hintOf(test, value, parameter) ?? []) : []));
    return texts.map((text) => ({ parameter: segments.join('.'), text: `${segments.join('.')}: ${text}` }));
  });
}

function hintOf(test: Test, { text }: Scalar, { values, multiple }: HintedParameter): string | undefined {
  if (values?.some((each) => isSame(each, text))) return undefined;
  const inner = withoutQuotes(text);
  if (inner !== undefined) {
    return `the quotes of ${shortened(text)} are compared too: only " quotes a value, as in "${shortened(inner)}"`;
  }
  const isWhole = test.op === 'eq' || test.op === 'ne' || test.op === 'in' || (test.op === 'contains' && multiple);
  if (!values || !isWhole) return undefined;
  const known = values.map(String);
  const shown = known.slice(0, MOST_SHOWN).map((each) => `'${shortened(each)}'`);
  const others = known.length > MOST_SHOWN ? ', …' : '';
  const hint = values.every((each) => typeof each === 'string') ? didYouMean(text, known) : '';
  return `'${shortened(text)}' is none of its values ${shown.join(', ')}${others}${hint}`;
}

const MOST_SHOWN = 20;

/** Numbers have several spellings. */
function isSame(value: string | number, text: string): boolean {
  return typeof value === 'number' ? text.trim() !== '' && Number(text) === value : value === text;
}

/** Quotes that other languages have, and those that word processors make. Only `"` quotes a value in a filter. */
const QUOTES: ReadonlyMap<string, string> = new Map([
  ["'", "'"],
  ['`', '`'],
  ['‘', '’'],
  ['“', '”'],
  ['„', '“'],
  ['«', '»'],
]);

/** What stands between such quotes; undefined without them. */
function withoutQuotes(text: string): string | undefined {
  const end = QUOTES.get(text.charAt(0));
  return end !== undefined && text.length > 1 && text.endsWith(end) ? text.slice(1, -1) : undefined;
}
