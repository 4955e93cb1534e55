/** References of operations to the answers of earlier ones: `{author.id}` in paths, `{"$from": "author.id"}` in bodies. Pure. */
import { parseSelect } from '../filter/aggregate.parser.js';
import type { Scalar } from '../filter/filter.ast.js';
import { parseFilter } from '../filter/filter.parser.js';
import { escapeQuoted, quote } from '../filter/filter.printer.js';
import { isRelatedTerm, parseRelatedTerm, rightsTermName } from '../filter/include.parser.js';
import { parseOrder } from '../filter/order.js';
import { withoutBrackets } from '../http/route/parse-list-query.js';
import { unbracket } from '../http/route/query-reader.js';
import { KindError, refusal } from '../shared/errors.js';
import { isPlainObject, type Json, typeName } from '../shared/json.js';
import { LIMITS } from '../shared/limits.js';
import { shortened } from '../shared/texts.js';
import type { WorkInPieces } from '../shared/work-in-pieces.js';
import { ReadValue } from '../unit/draft/read-value.js';

/** What operations have answered, by their names. */
type Answers = ReadonlyMap<string, Json>;

/** The names and keys by which an operation refers to an earlier answer: `author.id`. */
interface Reference {
  readonly name: string;
  readonly keys: readonly string[];
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/;

export function isName(text: string): boolean {
  return NAME.test(text);
}

/** Undefined if the text does not begin with a name. */
export function parseReference(text: string): Reference | undefined {
  const [name = '', ...keys] = text.split('.');
  return isName(name) && keys.every((key) => key !== '') ? { name, keys } : undefined;
}

const FROM = '$from';
const IN_PATH = /\{([^{}]*)\}/g;
const PATH_AND_QUERY = /^((?:[^?{]|\{[^{}]*\})*)(?:\?(.*))?$/s;

/** Values of a body between two yields. */
const VALUES_PER_PIECE = 512;

/** The texts of the references in a path. */
export function pathReferences(path: string): string[] {
  return [...path.matchAll(IN_PATH)].map(([, text = '']) => text);
}

/** The path with a placeholder in place of each reference. */
export function withoutReferences(path: string): string {
  return path.replace(IN_PATH, '_');
}

/**
 * The path with what its references stand for: each is one segment of the path, or one value of the query.
 * @param queryOf the query parameters of the route of a path
 * @throws KindError 400
 */
export function fillPath(path: string, answers: Answers, queryOf: (pathname: string) => readonly string[]): string {
  const [, segments = '', query] = PATH_AND_QUERY.exec(path) ?? [];
  let filled = segments.replace(IN_PATH, (_, text: string) => {
    const value = plainValue(text, answers);
    if (value === '') throw badReference(`path: {${shortened(text)}} is empty; a segment of a path is not`);
    return encodeURIComponent(value);
  });
  if (query !== undefined) {
    const marks = marksFor(query);
    const marked = query.replace(IN_PATH, (_, text: string) => {
      const value = plainValue(text, answers);
      return typeof value === 'string' ? marks.put(value) : encodeURIComponent(value);
    });
    filled += `?${marked.includes(marks.mark) ? fillQuery(marked, marks, queryOf(filled)) : marked}`;
  }
  if (filled.length <= LIMITS.batchPath) return filled;
  throw refusal('batch.bad_operation', `path: at most ${LIMITS.batchPath} characters, got ${filled.length}`);
}

/** @throws KindError 400 if it has no place in a path */
function plainValue(text: string, answers: Answers): string | number | boolean {
  const value = lookUp(text, answers);
  if (typeof value === 'string' && value.isWellFormed()) return value;
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  throw badReference(`path: {${shortened(text)}} is ${typeName(value)}; a path takes a string, number or boolean`);
}

/** The reference that a value of a body is; undefined if it is none. */
export function referenceIn(value: unknown): unknown {
  return isPlainObject(value) && Object.hasOwn(value, FROM) ? value[FROM] : undefined;
}

/** Counts what references stand for, in all bodies of a batch. */
export class ReferenceBudget {
  #left: number = LIMITS.batchReferences;

  /** @throws KindError 400 */
  take(text: string, value: Json): void {
    this.#left -= JSON.stringify(value).length;
    if (this.#left >= 0) return;
    const most = LIMITS.batchReferences.toLocaleString('en');
    throw badReference(`{"$from": "${shortened(text)}"}: references stand for more than ${most} characters of JSON`);
  }
}

/** A copy of a body with what its references stand for. @param depth of the value in it @throws KindError 400 */
export function* fillBody(value: unknown, answers: Answers, budget: ReferenceBudget, depth = 0): WorkInPieces<unknown> {
  if (!(Array.isArray(value) || isPlainObject(value)) || value instanceof ReadValue) return value;
  if (depth >= LIMITS.bodyDepth) {
    throw refusal('body.too_many', `The body is nested deeper than ${LIMITS.bodyDepth} levels`);
  }
  const reference = referenceIn(value);
  if (typeof reference === 'string') {
    const found = lookUp(reference, answers);
    budget.take(reference, found);
    return structuredClone(found);
  }
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    for (const item of value as unknown[]) {
      if (list.push(yield* fillBody(item, answers, budget, depth + 1)) % VALUES_PER_PIECE === 0) yield;
    }
    return list;
  }
  const members: [string, unknown][] = [];
  for (const [key, member] of Object.entries(value)) {
    if (members.push([key, yield* fillBody(member, answers, budget, depth + 1)]) % VALUES_PER_PIECE === 0) yield;
  }
  return Object.fromEntries(members);
}

/** @throws KindError 400 if the answer has no such value */
function lookUp(text: string, answers: Answers): Json {
  const { name, keys } = parseReference(text) ?? { name: '', keys: [] };
  let value = answers.get(name);
  for (const [at, key] of keys.entries()) {
    const rest = keys.slice(at).join('.');
    // Values of referenced units have flat keys: `country.name`.
    if (isPlainObject(value) && Object.hasOwn(value, rest)) return value[rest] as Json;
    value = memberOf(value, key);
    if (value === undefined) throw badReference(`'${shortened(text)}': the answer of '${name}' has no such value`);
  }
  if (value === undefined) throw badReference(`'${shortened(text)}': no earlier operation has that name`);
  return value;
}

function memberOf(value: Json | undefined, key: string): Json | undefined {
  if (Array.isArray(value)) return /^\d{1,6}$/.test(key) ? (value as readonly Json[])[Number(key)] : undefined;
  return isPlainObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function badReference(text: string): KindError {
  return refusal('batch.bad_reference', text);
}

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
      .map((term) =>
        isRelatedTerm(term) && rightsTermName(term) === undefined
          ? fillTree(term, parseRelatedTerm, marks)
          : fillNames(term, marks),
      )
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
function marksFor(url: string): Marks {
  const found = url + [...new URLSearchParams(url)].flat().join('');
  let code = 0xe000;
  while (found.includes(String.fromCodePoint(code))) code += 1;
  return new Marks(String.fromCodePoint(code));
}

/** @param known the parameters of the route; those of functions are plain texts @throws KindError 400 */
function fillQuery(query: string, marks: Marks, known: readonly string[]): string {
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
