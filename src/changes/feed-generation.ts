/**
 * Which cursors are valid: those of this timeline of PostgreSQL. After a fail-over or a restore, numbers that were given
 * may be given to other changes; each reader then begins anew.
 */
import { randomBytes } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { Database } from '../database/database.js';
import { isNotUnderstood, isNotAllowed } from '../database/statement/sqlstate.js';
import { findGenerationStatement, noteGenerationStatement, READ_TIMELINE } from '../sql/server/feed-generation.sql.js';

/** Milliseconds after which the timeline is read again, if no reconnection was noticed. */
const LASTS = 10_000;
/** Noted where the role may not read it. */
const UNKNOWN = 0;

@Injectable()
export class FeedGeneration {
  readonly #log = new Logger('changes');
  #known: { readonly until: number; readonly generation: Promise<string> } | undefined;
  #toldUnknown = false;

  constructor(private readonly database: Database) {}

  current(): Promise<string> {
    if (!this.#known || this.#known.until < performance.now()) {
      const generation = this.#read();
      this.#known = { until: performance.now() + LASTS, generation };
      generation.catch(() => this.forget());
    }
    return this.#known.generation;
  }

  /** The connection was lost: PostgreSQL may have another timeline. */
  forget(): void {
    this.#known = undefined;
  }

  async #read(): Promise<string> {
    const timeline = await this.#timeline();
    const [found] = await this.database.run<{ generation: string }>(findGenerationStatement(timeline));
    if (found) return found.generation;
    const statement = noteGenerationStatement(timeline, randomBytes(6).toString('base64url'));
    const [noted] = await this.database.run<{ generation: string }>(statement);
    if (!noted) throw new Error('the registry has no generation of the feed');
    return noted.generation;
  }

  async #timeline(): Promise<number> {
    try {
      const [row] = await this.database.run<{ timeline: number }>(READ_TIMELINE);
      return row?.timeline ?? UNKNOWN;
    } catch (error) {
      if (!isNotAllowed(error) && !isNotUnderstood(error)) throw error;
      if (!this.#toldUnknown) this.#log.warn(UNKNOWN_WARNING);
      this.#toldUnknown = true;
      return UNKNOWN;
    }
  }
}

const UNKNOWN_WARNING =
  'the role of DATABASE_URL may not run pg_control_checkpoint(), so that a fail-over is not noticed: run `feed reset --all` after one';
