/**
 * Decides which statements are prepared by name, and which connections are replaced because of the memory that their
 * statements and tables used. The name is a hash of the text, so it means the same in every process: behind a pooler that shares
 * server connections, a name never refers to another text.
 */
import { LIMITS } from '../../shared/limits.js';
import { textCache } from '../../shared/maps.js';
import { sha256 } from '../../shared/sha256.js';
import type { Statement } from '../../sql/fragment.js';
import { isUnprepared } from './sqlstate.js';

/**
 * Maximum of named statements of one connection, and of the characters of their texts (PostgreSQL keeps up to 200 bytes
 * per character); beyond it, the connection is replaced.
 */
const PREPARED_PER_CONNECTION = { texts: 400, characters: 600_000 };

/** Texts are prepared from their second use, so that unique texts of a caller do not fill the cache. */
const KNOWN_TEXTS = { texts: 5000, characters: 10_000_000 };

/** Maximum of characters and points of a prepared text: a traversal of all kinds of a project is larger. */
const LARGEST_PREPARED = { characters: 40_000, points: 200 };

/**
 * A connection is replaced after a statement with more points: a backend keeps the memory that planning took, and
 * ordinary roles can't query its size. Together with prepared statements this keeps it below 256 MB.
 */
const MAX_POINTS = LIMITS.statementPoints / 2;

/**
 * A connection is replaced after it has used so many tables: a backend keeps what it has read of the catalogue about
 * each table and its indexes, up to 100 kB, until it ends (bench/TENANTS.md). With thousands of projects, every
 * connection would sooner or later know all their tables.
 */
const MAX_TABLES = 400;

/** A table of a project in a statement. */
const PROJECT_TABLE = /"project_[^"]+"\."[^"]+"/g;

/** What one connection keeps. */
interface ConnectionState {
  /** The names of its prepared statements. */
  readonly names: Set<string>;
  /** Characters of their texts. */
  characters: number;
  /** The tables that it has used. */
  readonly tables: Set<string>;
}

export class PreparedStatements {
  /** Names by text; empty for a text that was used once. */
  readonly #names = textCache<string>(KNOWN_TEXTS.texts, KNOWN_TEXTS.characters);
  readonly #connections = new WeakMap<object, ConnectionState>();
  readonly #oversized = new WeakSet();
  #enabled: boolean;

  /** @param onDisabled called once when names turn out to be lost */
  constructor(
    enabled: boolean,
    private readonly onDisabled: (error: Error) => void,
  ) {
    this.#enabled = enabled;
  }

  /**
   * The name for a statement on a connection; undefined if it is not prepared, as on its first use.
   * @param allowed whether it may have one
   */
  nameOf(client: object, statement: Statement, allowed: boolean): string | undefined {
    const name = allowed ? this.#nameOf(statement) : undefined;
    const connection = this.#connectionOf(client);
    // The tables of a statement that the connection knows are counted.
    if (name !== undefined && connection.names.has(name)) return name;
    const { text } = statement;
    noteTables(connection, text);
    if (name === undefined) return undefined;
    connection.names.add(name);
    connection.characters += text.length;
    return name;
  }

  /**
   * Tells the connections that have prepared a statement: they have read its tables, which another would have to do.
   * Undefined if there may be none.
   */
  preparedOn({ text, prepare }: Statement): ((client: object) => boolean) | undefined {
    const name = this.#enabled && prepare ? this.#names.peek(text) : undefined;
    return name ? (client) => this.#connections.get(client)?.names.has(name) === true : undefined;
  }

  #nameOf({ text, prepare, points = 0 }: Statement): string | undefined {
    if (!this.#enabled || !prepare) return undefined;
    if (text.length > LARGEST_PREPARED.characters || points > LARGEST_PREPARED.points) return undefined;
    const known = this.#names.get(text);
    const name = known === undefined ? '' : known || nameFor(text);
    if (name !== known) this.#names.set(text, name);
    return name === '' ? undefined : name;
  }

  /** Call it for each statement that is sent on a connection. */
  noteSent(client: object, { points = 0 }: Statement): void {
    if (points > MAX_POINTS) this.#oversized.add(client);
  }

  /** Whether the connection has to be replaced. */
  needsReplacement(client: object): boolean {
    if (this.#oversized.has(client)) return true;
    const connection = this.#connections.get(client);
    if (!connection) return false;
    const { names, characters, tables } = connection;
    return (
      tables.size > MAX_TABLES ||
      names.size > PREPARED_PER_CONNECTION.texts ||
      characters > PREPARED_PER_CONNECTION.characters
    );
  }

  /**
   * Whether a statement failed only because of its name, before it was executed. If so, no names are used from then on.
   */
  disableIfUnprepared(error: unknown): boolean {
    if (!isUnprepared(error)) return false;
    if (this.#enabled) this.onDisabled(error);
    this.#enabled = false;
    return true;
  }

  #connectionOf(client: object): ConnectionState {
    const known = this.#connections.get(client);
    if (known) return known;
    const connection = { names: new Set<string>(), characters: 0, tables: new Set<string>() };
    this.#connections.set(client, connection);
    return connection;
  }
}

function noteTables({ tables }: ConnectionState, text: string): void {
  for (const [table] of text.matchAll(PROJECT_TABLE)) {
    if (tables.size > MAX_TABLES) return;
    if (!tables.has(table)) tables.add(copyOf(table));
  }
}

/** A part of a text keeps the whole text in memory; this does not. */
function copyOf(part: string): string {
  return Buffer.from(part).toString();
}

/** 132 bits of a hash. */
function nameFor(text: string): string {
  return `k${sha256(text).slice(0, 22)}`;
}
