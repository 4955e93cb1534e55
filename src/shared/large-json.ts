/** Operations on large JSON values as work in pieces: stringify, copy, find duplicates. */
import { InexactNumber, isPlainObject, type Json } from './json.js';
import { LongValue, pieceEnd, utf8Pieces } from './byte-pieces.js';
import { runSync, type WorkInPieces } from './work-in-pieces.js';

/** Values, and characters of strings, up to which a value is processed in one piece. */
const SMALL_JSON = { values: 4000, characters: 64 * 1024 } as const;
/** Values between two yields. */
const VALUES_PER_PIECE = 512;
/** A part of a list with more elements that is not small is divided into so many parts. */
const DIVISION = { above: 16, parts: 4 } as const;

/** Objects and lists with many members. The members of an object with 50,000 take 20 ms to list, so it is done once. */
const large = new WeakSet<object>();

/** Whether a value is small enough for one piece. Stops as soon as it is not. */
export function isSmallJson(root: unknown): boolean {
  if (typeof root === 'string') return root.length <= SMALL_JSON.characters;
  if (typeof root !== 'object' || root === null) return true;
  const rest: object[] = [root];
  let [values, characters] = [1, 0];
  for (let value = rest.pop(); value !== undefined; value = rest.pop()) {
    if (large.has(value)) return false;
    const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
    if (members.length > SMALL_JSON.values) {
      large.add(value);
      return false;
    }
    values += members.length;
    for (const member of members) {
      if (typeof member === 'string') characters += member.length;
      else if (typeof member === 'object' && member !== null) rest.push(member);
    }
    if (values > SMALL_JSON.values || characters > SMALL_JSON.characters) return false;
  }
  return true;
}

/** A value as JSON text, like `JSON.stringify`. `sorted`: with the keys of objects sorted. */
export function* jsonText(value: unknown, sorted = false): WorkInPieces<string> {
  if (!sorted && isSmallJson(value)) return JSON.stringify(value);
  const writer = new JsonWriter(sorted);
  yield* writer.write(value);
  return writer.text();
}

/** The same for a statement. */
export function* jsonParam(value: unknown): WorkInPieces<string | LongValue> {
  if (isSmallJson(value)) return JSON.stringify(value);
  const writer = new JsonWriter(false);
  yield* writer.write(value);
  return new LongValue(yield* utf8Pieces(writer.texts(), SMALL_JSON.characters));
}

class JsonWriter {
  readonly #done: string[] = [];
  #parts: string[] = [];
  /** Characters in `#parts`. */
  #characters = 0;

  constructor(private readonly sorted: boolean) {}

  text(): string {
    return this.texts().join('');
  }

  texts(): string[] {
    return [...this.#done, this.#parts.join('')];
  }

  *write(value: unknown): WorkInPieces<void> {
    if (typeof value === 'string' && value.length > SMALL_JSON.characters) yield* this.#writeText(value);
    else if (typeof value !== 'object' || value === null || (!this.sorted && isSmallJson(value)))
      this.#add(JSON.stringify(value));
    else if (Array.isArray(value)) yield* this.#writeList(value);
    else if (isPlainObject(value)) yield* this.#writeObject(value);
    else this.#add(JSON.stringify(value));
    if (this.#parts.length > VALUES_PER_PIECE || this.#characters > SMALL_JSON.characters) {
      this.#done.push(this.#parts.join(''));
      this.#parts = [];
      this.#characters = 0;
      yield;
    }
  }

  #add(text: string): void {
    this.#parts.push(text);
    this.#characters += text.length;
  }

  *#writeList(list: readonly unknown[]): WorkInPieces<void> {
    this.#add('[');
    for (let at = 0; at < list.length; at += VALUES_PER_PIECE) {
      if (at > 0) this.#add(',');
      yield* this.#writeItems(list.slice(at, at + VALUES_PER_PIECE));
    }
    this.#add(']');
  }

  /** Writes as many elements as are small together with one `JSON.stringify`, which is faster than one for each. */
  *#writeItems(items: readonly unknown[]): WorkInPieces<void> {
    if (!this.sorted && isSmallJson(items)) {
      this.#add(JSON.stringify(items).slice(1, -1));
      yield;
      return;
    }
    if (!this.sorted && items.length > DIVISION.above) {
      const size = Math.ceil(items.length / DIVISION.parts);
      for (let at = 0; at < items.length; at += size) {
        if (at > 0) this.#add(',');
        yield* this.#writeItems(items.slice(at, at + size));
      }
      return;
    }
    for (const [at, item] of items.entries()) {
      if (at > 0) this.#add(',');
      yield* this.write(item === undefined ? null : item);
    }
  }

  *#writeObject(value: Readonly<Record<string, unknown>>): WorkInPieces<void> {
    if (large.has(value)) yield;
    const keys = Object.keys(value);
    let before = '{';
    for (const key of this.sorted ? keys.sort() : keys) {
      const member = value[key];
      if (member === undefined) continue;
      this.#parts.push(before, JSON.stringify(key), ':');
      yield* this.write(member);
      before = ',';
    }
    this.#add(before === '{' ? '{}' : '}');
  }

  *#writeText(text: string): WorkInPieces<void> {
    this.#add('"');
    for (let at = 0; at < text.length;) {
      const next = pieceEnd(text, at + SMALL_JSON.characters);
      this.#add(JSON.stringify(text.slice(at, next)).slice(1, -1));
      at = next;
      yield;
    }
    this.#add('"');
  }
}

/** A copy of a JSON value, with inexact numbers replaced by the nearest double. */
export function* copyJson(value: unknown): WorkInPieces<Json> {
  if (value instanceof InexactNumber) return value.toJSON();
  if (typeof value !== 'object' || value === null) return value as Json;
  if (Array.isArray(value)) {
    const list: Json[] = [];
    for (const item of value as unknown[]) {
      if (list.push(yield* copyJson(item)) % VALUES_PER_PIECE === 0) yield;
    }
    return list;
  }
  const members: [string, Json][] = [];
  for (const [key, member] of Object.entries(value)) {
    if (member !== undefined && members.push([key, yield* copyJson(member)]) % VALUES_PER_PIECE === 0) yield;
  }
  return Object.fromEntries(members);
}

/** The position of the first element that equals an earlier one; -1 if there is none. */
export function indexOfDuplicate(items: readonly Json[]): number {
  return runSync(duplicatesInPieces(items))[0] ?? -1;
}

/** The positions of the elements that equal an earlier one. The order of keys does not matter. */
export function* duplicatesInPieces(items: readonly Json[]): WorkInPieces<number[]> {
  const found: number[] = [];
  const scalars = new Set<unknown>();
  const others = new Set<string>();
  for (const [at, item] of items.entries()) {
    if (at % VALUES_PER_PIECE === VALUES_PER_PIECE - 1) yield;
    const before = scalars.size + others.size;
    if (typeof item === 'object' && item !== null) others.add(yield* jsonText(item, true));
    else scalars.add(item);
    if (scalars.size + others.size === before) found.push(at);
  }
  return found;
}
