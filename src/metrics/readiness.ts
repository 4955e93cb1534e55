/** Readiness: the database responds, and no shutdown has begun. */
import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { OpenRequests } from '../http/server/open-requests.js';
import { KindError } from '../shared/errors.js';
import { PING } from '../sql/server/connection.sql.js';

@Injectable()
export class Readiness {
  /** The query in progress, which concurrent checks share. */
  #query: Promise<unknown> | undefined;

  constructor(
    private readonly database: Database,
    private readonly openRequests: OpenRequests,
  ) {}

  /** @throws KindError 503 */
  async check(): Promise<void> {
    this.openRequests.refuseIfStopping();
    this.#query ??= this.database.run(PING).finally(() => (this.#query = undefined));
    try {
      await this.#query;
    } catch (error) {
      const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
      throw new KindError([{ code: 'database.unavailable', text: 'The database does not answer' }], undefined, {
        cause,
      });
    }
  }
}
