/** Generates example texts that match a pattern. Supports the common syntax, and verifies the result. Pure. */
import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';
import { codePoints } from '../../../model/parameter-type/text-rules.js';
import { charactersOf, classNamed, isClass, type Characters, type Range } from './pattern.characters.js';

/** Patterns above this length have no example, because compiling one may take long. */
const MAX_TEXT_LENGTH = 100;
/** Numbers of repetitions to try, for texts of different lengths. */
const REPEAT_COUNTS = [1, 2, 3, 5, 8, 13, 21, 34];

const examplesByPattern = new LRUCache<string, { readonly text: string | undefined }>({ max: 1000 });

interface TextRules {
  readonly minLength?: number;
  readonly maxLength?: number;
  /** Another number makes another text, if the pattern has several. */
  readonly variant?: number;
}

/** Undefined if no example was found; the pattern may still have matches. */
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

/** The state while a text is generated. */
interface WriteState {
  /** The number of repetitions of `*`, `+` and open ranges. */
  readonly repeats: number;
  /** Selects characters: each choice uses a part of the number. */
  variant: number;
}

/** Generates a text that matches a part of a pattern. */
type TextWriter = (writing: WriteState) => string;

const CONTROLS: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
]);

/** Parses a pattern. @throws Error for unsupported syntax */
class PatternReader {
  #at = 0;

  constructor(private readonly characters: readonly string[]) {}

  read(): TextWriter {
    const write = this.#alternatives();
    if (this.#at < this.characters.length) throw new Error('a parenthesis too many');
    return write;
  }

  /** Returns the first alternative. */
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
    // A group that only sets flags is empty.
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

  /** Parses the character after a backslash. */
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

/** Generates one of the characters. */
function oneCharacter(characters: Characters): TextWriter {
  const all = charactersOf(characters);
  return (writing) => {
    const found = all[writing.variant % all.length] ?? '';
    writing.variant = Math.floor(writing.variant / all.length);
    return found;
  };
}
