/**
 * Puts texts into the query of an operation. In a filter each is one value, whatever its characters: the filter is
 * parsed with a mark in place of each text, and the values that have marks are written anew, in quotes. Pure.
 */
import type { Scalar } from '../filter/filter.ast.js';
import { parseSelect } from '../filter/aggregate.parser.js';
import { parseFilter } from '../filter/filter.parser.js';
import { escapeQuoted, quote } from '../filter/filter.printer.js';
import { isRelatedTerm, parseRelatedTerm } from '../filter/include.parser.js';
import { parseOrder } from '../filter/order.js';
import { withoutBrackets } from '../http/route/parse-list-query.js';
import { unbracket } from '../http/route/query-reader.js';
import { KindError, refusal } from '../shared/errors.js';

/** Fills the marks of a text. */
type Fill = (text: string, marks: Marks) => string;

const filling =
  (parse: (text: string) => unknown): Fill =>
  (text, marks) =>
    fillTree(text, parse, marks);

const FILLS: Readonly<Record<string, Fill>> = {
  filter: filling(parseFilter),
  having: filling(parseFilter),
  order: filling(parseOrder),
  select: filling(parseSelect),
  search: fillSearch,
  include: (text, marks) =>
    unbracket(text)
      .map((term) => (isRelatedTerm(term) ? fillTree(term, parseRelatedTerm, marks) : fillNames(term, marks)))
      .join(','),
  ...Object.fromEntries(
    ['exclude', 'include_linked', 'link_id', 'kind_id', 'by', 'group'].map((name) => [name, fillNames]),
  ),
};

/** A character in place of each text, and the texts in their order. */
class Marks {
  readonly #texts: string[] = [];
  #taken = 0;

  constructor(readonly mark: string) {}

  /** Adds a text, and returns its mark. */
  put(text: string): string {
    this.#texts.push(text);
    return this.mark;
  }

  take(): string {
    return this.#texts[this.#taken++] ?? '';
  }
}

/** A character of the private use area that a text has not, encoded or not. */
export function marksFor(url: string): Marks {
  const found = url + [...new URLSearchParams(url)].flat().join('');
  let code = 0xe000;
  while (found.includes(String.fromCodePoint(code))) code += 1;
  return new Marks(String.fromCodePoint(code));
}

/** @param known the parameters of the route; those of functions are plain texts @throws KindError 400 */
export function fillQuery(query: string, marks: Marks, known: readonly string[]): string {
  const fillPair = (pair: string): string => {
    if (!pair.includes(marks.mark)) return pair;
    const [[name = '', text = ''] = []] = new URLSearchParams(pair);
    if (name.includes(marks.mark)) throw misplaced('a reference is no name of a query parameter');
    const plain = withoutBrackets(name);
    const fill = known.includes(plain) && Object.hasOwn(FILLS, plain) ? FILLS[plain] : undefined;
    return `${encodeURIComponent(name)}=${encodeURIComponent((fill ?? fillPlain)(text, marks))}`;
  };
  return query.split('&').map(fillPair).join('&');
}

function fillPlain(text: string, marks: Marks): string {
  return text.replaceAll(marks.mark, () => marks.take());
}

/** A name is one word, so that it is no path, and no list. */
function fillNames(text: string, marks: Marks): string {
  return text.replaceAll(marks.mark, () => wordOf(marks.take()));
}

function wordOf(text: string): string {
  if (/^\w+$/.test(text)) return text;
  throw misplaced('a reference in place of a name has to stand for letters, digits and _');
}

/** Words that stand next to each other, also where the reference is in quotes itself: a search has no escapes. */
function fillSearch(text: string, marks: Marks): string {
  return text
    .split('"')
    .map((part, at) =>
      part.replaceAll(marks.mark, () => {
        const words = marks.take().replaceAll('"', ' ');
        return at % 2 === 1 ? words : `"${words}"`;
      }),
    )
    .join('"');
}

function fillTree(text: string, parse: (text: string) => unknown, marks: Marks): string {
  const characters = [...text];
  const filled = new Map<number, Scalar['type']>();
  for (const { type, text: value, at } of scalarsIn(parsed(text, parse, marks))) {
    const [first, length] = [at - 1, [...(type === 'bare' ? value : quote(value))].length];
    if (!value.includes(marks.mark)) continue;
    for (let each = first; each < first + length; each += 1) filled.set(each, type);
  }
  return characters
    .map((character, at) => {
      const type = filled.get(at);
      const isMark = character === marks.mark;
      if (type === undefined) return isMark ? wordOf(marks.take()) : character;
      if (isMark) character = escapeQuoted(marks.take());
      else if (type === 'bare') character = escapeQuoted(character);
      if (type === 'quoted') return character;
      return `${filled.has(at - 1) ? '' : '"'}${character}${filled.has(at + 1) ? '' : '"'}`;
    })
    .join('');
}

function parsed(text: string, parse: (text: string) => unknown, marks: Marks): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof KindError)) throw error;
    const texts = error.messages.map((message) => message.text.replaceAll(marks.mark, '{…}'));
    throw misplaced(`a reference to a text stands for a value, or for a name: ${texts.join('; ')}`);
  }
}

/** The values in a syntax tree. */
function* scalarsIn(tree: unknown): Generator<Scalar> {
  if (typeof tree !== 'object' || tree === null) return;
  if (isScalar(tree)) yield tree;
  else for (const part of Object.values(tree)) yield* scalarsIn(part);
}

function isScalar(node: object): node is Scalar {
  return 'type' in node && (node.type === 'bare' || node.type === 'quoted');
}

function misplaced(text: string): KindError {
  return refusal('batch.bad_reference', `path: ${text}`);
}
