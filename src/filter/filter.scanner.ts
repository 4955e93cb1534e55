/** Splits a filter expression into tokens. All errors are `filter.syntax`, with the position. */
import { LIMITS } from '../shared/limits.js';
import { type KindError, refusal } from '../shared/errors.js';

const WHITE_SPACE = /^\s$/;
/** The characters that end a word: the name of an operator, or an unquoted segment of a path. */
const WORD_END = /^[.,()[\]"\s]$/;
/** How far a pattern can look ahead. */
const MATCHED_CHARACTERS = 40;
const SURROGATE = /^[\uD800-\uDFFF]$/;

/** Where an unquoted value is: alone in a call, in the list of `in`, or in a list in brackets. */
export type ValueContext = 'call' | 'list' | 'brackets';

/** The characters that end an unquoted value, outside of its own parentheses. */
const TERMINATORS = { call: ')', list: ',)', brackets: ',])' } as const satisfies Record<ValueContext, string>;

/** Whether a text can be a segment of a path without quotes. */
export function isWord(text: string): boolean {
  return text !== '' && [...text].every((character) => !WORD_END.test(character));
}

/** @param subject begins the message @throws KindError `filter.too_large` */
export function checkSize(text: string, subject = ''): void {
  // Not a Buffer: the console reads filters too.
  const { length: bytes } = new TextEncoder().encode(text);
  if (bytes <= LIMITS.filterBytes) return;
  throw refusal('filter.too_large', `${subject}at most ${LIMITS.filterBytes} bytes, got ${bytes}`);
}

export class Scanner {
  readonly #characters: readonly string[];
  #next = 0;

  /**
   * @param alsoEndsWords a further character that ends a word
   * @param before how many characters precede the text in a longer one, for positions
   */
  constructor(
    text: string,
    private readonly alsoEndsWords?: string,
    private readonly before = 0,
  ) {
    this.#characters = [...text];
    this.#refuseIllFormed();
  }

  /** The position of the next character, from 1. */
  get at(): number {
    return this.before + this.#next + 1;
  }

  /** The next character; the empty string at the end. */
  peek(): string {
    return this.#characters[this.#next] ?? '';
  }

  /** The error `expected … at character …`; `at` is the next character by default. */
  fail(expected: string, at = this.at, hint = ''): KindError {
    return refusal('filter.syntax', `expected ${expected} at character ${at}${hint}`);
  }

  skipSpace(): void {
    while (WHITE_SPACE.test(this.peek())) this.#next += 1;
  }

  /** Skips `character`, and white space on both sides of it. Returns whether it was there. */
  accept(character: string): boolean {
    this.skipSpace();
    if (this.peek() !== character) return false;
    this.#next += 1;
    this.skipSpace();
    return true;
  }

  expect(character: string, expected = `'${character}'`): void {
    if (!this.accept(character)) throw this.fail(expected);
  }

  expectEnd(called: string): void {
    this.skipSpace();
    if (this.peek() !== '') throw this.fail(`the end of the ${called}`);
  }

  /** The next word; empty if there is none. */
  word(): string {
    const start = this.#next;
    while (this.peek() !== '' && !this.#endsWord(this.peek())) this.#next += 1;
    return this.#slice(start);
  }

  #endsWord(character: string): boolean {
    return character === this.alsoEndsWords || WORD_END.test(character);
  }

  /** Skips what matches a pattern that begins with `^`, and returns it; undefined if it does not match. */
  match(pattern: RegExp): RegExpExecArray | undefined {
    const found = pattern.exec(this.#characters.slice(this.#next, this.#next + MATCHED_CHARACTERS).join(''));
    this.#next += [...(found?.[0] ?? '')].length;
    return found ?? undefined;
  }

  /** The text up to the comma or parenthesis that ends an argument, which may contain calls, lists and quoted texts. */
  argument(): string {
    const start = this.#next;
    for (let open = 0; this.peek() !== ''; this.#next += 1) {
      const character = this.peek();
      if (open === 0 && (character === ',' || character === ')')) break;
      if (character === '"') {
        this.quoted();
        this.#next -= 1;
      } else if (character === '(' || character === '[') open += 1;
      else if (character === ')' || character === ']') open -= 1;
    }
    return this.#slice(start).trim();
  }

  /** A quoted text; the next character is its first quote. Only `\"` and `\\` are escapes. */
  quoted(): string {
    let text = '';
    for (this.#next += 1; this.peek() !== '"'; this.#next += 1) {
      if (this.peek() === '') throw this.fail(`'"'`);
      if (this.peek() === '\\') {
        this.#next += 1;
        if (this.peek() !== '"' && this.peek() !== '\\') throw this.fail(`'"' or '\\'`);
      }
      text += this.peek();
    }
    this.#next += 1;
    return text;
  }

  /**
   * An unquoted value without white space at its end. It may contain balanced parentheses, and is empty if there is
   * none, as in `eq(x,)`. The next character is the one that ends it.
   */
  bare(surrounding: ValueContext): string {
    const stops: string = TERMINATORS[surrounding];
    const start = this.#next;
    for (let open = 0; ; this.#next += 1) {
      const character = this.peek();
      if (open === 0 && (character === '' || stops.includes(character))) break;
      if (character === '') throw this.fail("')'");
      if (character === '(') open += 1;
      else if (character === ')') open -= 1;
      else if (stops.includes(character)) {
        throw this.fail("')'", this.at, ` (in a list, quote a value that has '${character}')`);
      }
    }
    return this.#slice(start).trimEnd();
  }

  #slice(start: number): string {
    return this.#characters.slice(start, this.#next).join('');
  }

  #refuseIllFormed(): void {
    this.#characters.forEach((character, index) => {
      if (character === '\0') throw this.fail('no NUL', index + 1);
      if (SURROGATE.test(character)) throw this.fail('well-formed Unicode', index + 1);
    });
  }
}
