/** A text that matches a pattern, for an example. Reads what patterns are commonly made of, and checks what came of it. Pure. */
import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';
import { codePoints } from '../../model/parameter-type/text-rules.js';
import { charactersOf, classNamed, isClass, type Characters, type Range } from './pattern.characters.js';

/** Longer patterns have no example: to compile one may take long. */
const MAX_TEXT_LENGTH = 100;
/** How often what may be repeated is: texts of several lengths, one of which may be as long as it has to be. */
const REPEAT_COUNTS = [1, 2, 3, 5, 8, 13, 21, 34];

const examplesByPattern = new LRUCache<string, { readonly text: string | undefined }>({ max: 1000 });

export interface TextRules {
  readonly minLength?: number;
  readonly maxLength?: number;
  /** Another number makes another text, where there are such. */
  readonly variant?: number;
}

/** Undefined where none is found: the pattern may have matches all the same. */
export function matchingText(pattern: string, rules: TextRules = {}): string | undefined {
  const key = JSON.stringify([pattern, rules]);
  const found = examplesByPattern.get(key) ?? { text: findMatch(pattern, rules) };
  examplesByPattern.set(key, found);
  return found.text;
}

function findMatch(
  pattern: string,
  { minLength = 0, maxLength = MAX_TEXT_LENGTH, variant = 0 }: TextRules,
): string | undefined {
  if (pattern.length > MAX_TEXT_LENGTH) return undefined;
  try {
    const write = new PatternReader([...pattern]).read();
    const compiled = RE2JS.compile(pattern);
    return REPEAT_COUNTS.map((repeats) => write({ repeats, variant })).find((text) => {
      const length = codePoints(text);
      return length >= minLength && length <= Math.min(maxLength, MAX_TEXT_LENGTH) && compiled.matcher(text).find();
    });
  } catch {
    return undefined;
  }
}

/** What is left open while a text is written. */
interface WriteState {
  /** How often comes what may be there any number of times. */
  readonly repeats: number;
  /** Chooses among characters: each takes its part of the number. */
  variant: number;
}

/** Writes a text that a part of a pattern matches. */
type TextWriter = (writing: WriteState) => string;

const CONTROLS: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
]);

/** @throws Error for what it does not read */
class PatternReader {
  #at = 0;

  constructor(private readonly characters: readonly string[]) {}

  read(): TextWriter {
    const write = this.#alternatives();
    if (this.#at < this.characters.length) throw new Error('a parenthesis too many');
    return write;
  }

  /** The first one that there is. */
  #alternatives(): TextWriter {
    const first = this.#sequence();
    while (this.#take('|')) this.#sequence();
    return first;
  }

  #sequence(): TextWriter {
    const parts: TextWriter[] = [];
    while (this.#at < this.characters.length && !this.#is('|') && !this.#is(')')) parts.push(this.#repeated());
    return (writing) => parts.map((write) => write(writing)).join('');
  }

  #repeated(): TextWriter {
    let write = this.#one();
    for (let bounds = this.#bounds(); bounds; bounds = this.#bounds()) {
      const [least, most] = bounds;
      const once = write;
      write = (writing) => {
        const length = Math.max(least, Math.min(most, writing.repeats));
        if (length > MAX_TEXT_LENGTH) throw new Error('the text would be too long');
        return Array.from({ length }, () => once(writing)).join('');
      };
      this.#take('?');
    }
    return write;
  }

  #bounds(): readonly [least: number, most: number] | undefined {
    if (this.#take('*')) return [0, Infinity];
    if (this.#take('+')) return [1, Infinity];
    if (this.#take('?')) return [0, 1];
    const [whole, least, comma, most] = /^\{(\d+)(,?)(\d*)\}/.exec(this.#rest()) ?? [];
    if (whole === undefined) return undefined;
    this.#at += whole.length;
    const upper = most ? Number(most) : Infinity;
    return [Number(least), comma ? upper : Number(least)];
  }

  #one(): TextWriter {
    const character = this.#next();
    switch (character) {
      case '^':
      case '$':
        return () => '';
      case '.':
        return () => 'a';
      case '(':
        return this.#group();
      case '[':
        return oneCharacter(this.#class());
      case '\\':
        return this.#escaped();
      default:
        return () => character;
    }
  }

  #group(): TextWriter {
    const [flags = ''] = /^\?(?:P?<\w+>|[a-zA-Z]*(?:-[a-zA-Z]+)?:?)/.exec(this.#rest()) ?? [];
    this.#at += flags.length;
    // Flags for what follows are a group of nothing.
    const write = this.#alternatives();
    if (!this.#take(')')) throw new Error('a parenthesis is missing');
    return write;
  }

  #escaped(): TextWriter {
    if (this.#is('Q')) return this.#quoted();
    if (/^[AzZbB]/.test(this.#rest())) {
      this.#at += 1;
      return () => '';
    }
    return oneCharacter(this.#escape());
  }

  #quoted(): TextWriter {
    const [text = ''] = this.#rest().slice(1).split('\\E', 1);
    this.#at += Math.min([...text].length + 3, this.characters.length - this.#at);
    return () => text;
  }

  /** What stands after a backslash. */
  #escape(): Characters {
    const character = this.#next();
    if (character === 'p' || character === 'P') {
      const [whole, name = ''] = /^(?:\{(\w+)\}|\w)/.exec(this.#rest()) ?? [''];
      this.#at += whole.length;
      return classNamed(name || whole, character === 'P');
    }
    const lower = character.toLowerCase();
    if (isClass(lower)) return classNamed(lower, character !== lower);
    const literal = CONTROLS.get(character) ?? character;
    if (/[a-zA-Z0-9]/.test(character) && !CONTROLS.has(character)) throw new Error(`the escape ${character}`);
    return { ranges: [[literal, literal]], negated: false };
  }

  #class(): Characters {
    const negated = this.#take('^');
    const ranges: Range[] = [];
    do {
      ranges.push(...this.#classPart());
    } while (!this.#take(']'));
    return { ranges, negated };
  }

  #classPart(): readonly Range[] {
    const [posix, name = ''] = /^\[:(\w+):\]/.exec(this.#rest()) ?? [];
    if (posix !== undefined) {
      this.#at += posix.length;
      return classNamed(name, false).ranges;
    }
    const from = this.#next();
    if (from === '\\') {
      const { ranges, negated } = this.#escape();
      if (negated) throw new Error('a negated class in a class');
      return ranges;
    }
    if (!/^-[^\]]/.test(this.#rest())) return [[from, from]];
    this.#at += 1;
    const to = this.#next();
    return [[from, to === '\\' ? this.#next() : to]];
  }

  #rest(): string {
    return this.characters.slice(this.#at).join('');
  }

  #is(character: string): boolean {
    return this.characters[this.#at] === character;
  }

  #take(character: string): boolean {
    if (!this.#is(character)) return false;
    this.#at += 1;
    return true;
  }

  #next(): string {
    const character = this.characters[this.#at];
    if (character === undefined) throw new Error('the pattern ends too early');
    this.#at += 1;
    return character;
  }
}

/** One of the characters. */
function oneCharacter(characters: Characters): TextWriter {
  const all = charactersOf(characters);
  return (writing) => {
    const found = all[writing.variant % all.length] ?? '';
    writing.variant = Math.floor(writing.variant / all.length);
    return found;
  };
}
