/** Records the calls of agents, for administrators and the owner of the key. */
import { Injectable } from '@nestjs/common';
import type { Session } from '../catalog/session/session.js';
import { Database } from '../database/database.js';
import type { PageQuery } from '../http/route/parse-list-query.js';
import type { ErrorCode } from '../shared/errors.js';
import { lruCache } from '../shared/maps.js';
import { newId } from '../shared/new-id.js';
import {
  type AgentCall,
  listCallsStatement,
  pruneCallsStatement,
  recordCallStatement,
} from '../sql/member/agent-call.sql.js';
import type { Project } from '../tenancy/project.js';

/** Milliseconds between two times that a process deletes old records of a project. */
const PRUNED_EVERY = 3_600_000;
const THROTTLED: ErrorCode = 'key.throttled';

@Injectable()
export class CallLog {
  /** Keys of which it was recorded in this minute that they call too often. */
  readonly #throttled = lruCache<true>(10_000, { ttl: 60_000 });
  readonly #pruned = lruCache<true>(10_000, { ttl: PRUNED_EVERY });

  constructor(private readonly database: Database) {}

  async record(project: Project, call: Omit<AgentCall, 'id'>): Promise<void> {
    if (call.outcome === THROTTLED && this.#isToldAlready(call.key)) return;
    const executor = this.database.ofProject(project);
    await executor.run(recordCallStatement(project.schema, { id: newId(), ...call }));
    if (this.#pruned.has(project.id)) return;
    this.#pruned.set(project.id, true);
    await executor.run(pruneCallsStatement(project.schema));
  }

  /** What is refused costs as little as possible: of such calls, the first in a minute is recorded. */
  #isToldAlready(key: string): boolean {
    const told = this.#throttled.has(key);
    if (!told) this.#throttled.set(key, true);
    return told;
  }

  async list({ executor, project }: Session, key: string, page: PageQuery): Promise<{ count: number; items: string }> {
    const statement = listCallsStatement(project.schema, key, page);
    const [row] = await executor.run<{ count: number; items: string }>(statement);
    return row ?? { count: 0, items: '[]' };
  }
}
