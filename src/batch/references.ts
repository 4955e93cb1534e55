/** References of operations to the answers of earlier ones: `{author.id}` in paths, `{"$from": "author.id"}` in bodies. Pure. */
import { refusal, type KindError } from '../shared/errors.js';
import { InexactNumber, isPlainObject, typeName, type Json } from '../shared/json.js';
import { LIMITS } from '../shared/limits.js';
import type { WorkInPieces } from '../shared/work-in-pieces.js';
import { shortened } from '../shared/shortened.js';
import { fillQuery, marksFor } from './fill-query.js';

/** What operations have answered, by their names. */
export type Answers = ReadonlyMap<string, Json>;

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

/** A copy of a body with what its references stand for. @throws KindError 400 */
export function* fillBody(value: unknown, answers: Answers, budget: ReferenceBudget): WorkInPieces<unknown> {
  if (typeof value !== 'object' || value === null || value instanceof InexactNumber) return value;
  const reference = referenceIn(value);
  if (typeof reference === 'string') {
    const found = lookUp(reference, answers);
    budget.take(reference, found);
    return structuredClone(found);
  }
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    for (const item of value as unknown[]) {
      if (list.push(yield* fillBody(item, answers, budget)) % VALUES_PER_PIECE === 0) yield;
    }
    return list;
  }
  const members: [string, unknown][] = [];
  for (const [key, member] of Object.entries(value)) {
    if (members.push([key, yield* fillBody(member, answers, budget)]) % VALUES_PER_PIECE === 0) yield;
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

export function badReference(text: string): KindError {
  return refusal('batch.bad_reference', text);
}
