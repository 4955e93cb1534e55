/** Collects in memory which statements of projects are slow, and which indexes they lack. Those that differ only in values are one. */
import type { Model } from '../../model/model.js';
import type { Statement } from '../../sql/fragment.js';
import { getOrInsert } from '../../shared/maps.js';
import type { AddedQuery, MissingIndex } from '../../sql/definition/query-statistics.sql.js';

/** The most queries of one project, and of all projects of this process. */
export const MAX_QUERIES = { project: 50, process: 2000 } as const;
/** Longer statements are left out, in characters. */
const MAX_LENGTH = 20_000;
/** Faster calls are left out, in milliseconds: they read few units in vain. */
const SLOW = 1;
/** Milliseconds after which a query is examined again, and without a call is forgotten. */
const INTERVAL = 600_000;

/** A call of a query, and what it took. */
export interface QueryCall {
  readonly schema: string;
  readonly model: Model;
  readonly statement: Statement;
  readonly milliseconds: number;
}

/** The calls of a statement since they were last taken. */
export interface SlowQuery {
  calls: number;
  milliseconds: number;
  /** Its values stay in memory, and are stored nowhere. */
  last: QueryCall;
  calledAt: number;
  /** When it is to be examined. */
  dueAt: number;
  /** What it lacked when it was examined. */
  missing: readonly MissingIndex[];
}

export class SlowQueries {
  /** By schema, then by the text of the statement. The one that had its turn last is the last. */
  readonly #projects = new Map<string, Map<string, SlowQuery>>();
  #size = 0;

  /** The number of queries in memory. */
  get size(): number {
    return this.#size;
  }

  /** The projects with queries, by schema. */
  get schemas(): string[] {
    return [...this.#projects.keys()];
  }

  /** @param now milliseconds, as everywhere here */
  note(call: QueryCall, now: number): void {
    const { schema, statement, milliseconds } = call;
    if (milliseconds < SLOW || statement.text.length > MAX_LENGTH) return;
    const queries = getOrInsert(this.#projects, schema, () => new Map<string, SlowQuery>());
    const query = queries.get(statement.text) ?? this.#add(queries, call);
    if (!query) return;
    query.calls += 1;
    query.milliseconds += milliseconds;
    query.calledAt = now;
    query.last = call;
  }

  /** The query of a project to examine: the one that took the most time. */
  takeDue(schema: string, now: number): SlowQuery | undefined {
    const queries = this.#projects.get(schema) ?? new Map<string, SlowQuery>();
    const due = [...queries.values()].filter(({ dueAt }) => dueAt <= now);
    const [first] = due.sort((a, b) => b.milliseconds - a.milliseconds);
    if (!first) return undefined;
    first.dueAt = now + INTERVAL;
    this.#projects.delete(schema);
    this.#projects.set(schema, queries);
    return first;
  }

  /** The calls of a project by the index that they lack. They begin again, except for queries that wait to be examined. */
  take(schema: string, now: number): AddedQuery[] {
    const queries = this.#projects.get(schema) ?? new Map<string, SlowQuery>();
    const taken = new Map<string, AddedQuery>();
    for (const [text, query] of queries) {
      const { calls, milliseconds, missing } = query;
      for (const index of calls > 0 ? missing : []) {
        const id = `${index.kind} (${index.parameters.join(', ')})`;
        const known = taken.get(id) ?? { ...NO_CALLS, missing: index };
        taken.set(id, {
          id,
          calls: known.calls + calls,
          milliseconds: known.milliseconds + milliseconds,
          missing: known.missing.read > index.read ? known.missing : index,
        });
      }
      if (missing.length > 0 || query.dueAt > now) Object.assign(query, NO_CALLS);
      if (query.calledAt + INTERVAL <= now && queries.delete(text)) this.#size -= 1;
    }
    if (queries.size === 0) this.#projects.delete(schema);
    return [...taken.values()];
  }

  /** Where there is no room, the query of the same project that took the least time is forgotten. */
  #add(queries: Map<string, SlowQuery>, call: QueryCall): SlowQuery | undefined {
    if (queries.size >= MAX_QUERIES.project || this.#size >= MAX_QUERIES.process) {
      const [least] = [...queries.values()].sort((a, b) => a.milliseconds - b.milliseconds);
      if (!least) return undefined;
      queries.delete(least.last.statement.text);
      this.#size -= 1;
    }
    const added = { ...NO_CALLS, last: call, calledAt: 0, dueAt: 0, missing: [] };
    queries.set(call.statement.text, added);
    this.#size += 1;
    return added;
  }
}

const NO_CALLS = { calls: 0, milliseconds: 0 };
