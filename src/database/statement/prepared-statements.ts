/**
 * What connections keep of the statements that they are sent, boundedly: the names under which those that come back are
 * prepared, and the memory that the largest took. A name is made of the text, so
 * that it means the same to every process: behind a pooler that hands connections of the server around, a statement runs
 * as what was prepared under its name, or not at all.
 */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { LIMITS } from '../../shared/limits.js';
import type { Statement } from '../../sql/fragment.js';
import { isUnprepared } from './sqlstate.js';

/**
 * Named statements of one connection, and the characters of their texts, with which what PostgreSQL keeps of them grows,
 * by 200 bytes each at worst; past it the connection is replaced.
 */
const PREPARED_PER_CONNECTION = { texts: 400, characters: 600_000 };

/** A text is prepared from its second use on, so that those of one caller's own making don't fill the cache. */
const SEEN = { texts: 5000, characters: 10_000_000 };

/** Characters of a text that is prepared, and points: a walk through all kinds of a project has many. */
const LARGEST_PREPARED = { characters: 40_000, points: 200 };

/**
 * Points of a statement after which its connection is replaced: a server process keeps the memory that it took to plan
 * it, and what it has can not be asked for by an ordinary role. With what is prepared it stays below 256 MB.
 */
const LARGEST_KEPT = LIMITS.statementPoints / 2;

/** What a connection has prepared. */
interface Prepared {
  readonly names: Set<string>;
  characters: number;
}

export class PreparedStatements {
  /** The names of texts; empty for one that was seen once. */
  readonly #names = new LRUCache<string, string>({
    max: SEEN.texts,
    maxSize: SEEN.characters,
    sizeCalculation: (_, text) => text.length,
  });
  readonly #prepared = new WeakMap<object, Prepared>();
  readonly #grown = new WeakSet();
  #on: boolean;

  /** @param onGivenUp called once, where names turn out not to be kept */
  constructor(
    on: boolean,
    private readonly onGivenUp: (error: Error) => void,
  ) {
    this.#on = on;
  }

  /** The name under which a statement is prepared on a connection; undefined where it is not, as the first time. */
  nameOf(client: object, { text, prepare, points = 0 }: Statement): string | undefined {
    if (!this.#on || !prepare) return undefined;
    if (text.length > LARGEST_PREPARED.characters || points > LARGEST_PREPARED.points) return undefined;
    const known = this.#names.get(text);
    const name = known === undefined ? '' : known || nameFor(text);
    if (name !== known) this.#names.set(text, name);
    if (name === '') return undefined;
    this.#remember(client, name, text);
    return name;
  }

  /** To be told of each statement that is sent on a connection. */
  noteSent(client: object, { points = 0 }: Statement): void {
    if (points > LARGEST_KEPT) this.#grown.add(client);
  }

  /** Whether the connection is to be replaced. */
  needsReplacement(client: object): boolean {
    if (this.#grown.has(client)) return true;
    const { names, characters } = this.#prepared.get(client) ?? { names: new Set(), characters: 0 };
    return names.size > PREPARED_PER_CONNECTION.texts || characters > PREPARED_PER_CONNECTION.characters;
  }

  /** Whether a statement was refused for its name alone, and nothing of it was run. No name is used from then on. */
  disableIfUnprepared(error: unknown): boolean {
    if (!isUnprepared(error)) return false;
    if (this.#on) this.onGivenUp(error);
    this.#on = false;
    return true;
  }

  #remember(client: object, name: string, text: string): void {
    const prepared = this.#prepared.get(client) ?? { names: new Set(), characters: 0 };
    this.#prepared.set(client, prepared);
    if (prepared.names.has(name)) return;
    prepared.names.add(name);
    prepared.characters += text.length;
  }
}

/** 132 bits of a hash. */
function nameFor(text: string): string {
  return `k${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`;
}
