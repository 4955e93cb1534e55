/** A separate connection to the database of the service, to hold locks, observe waiting statements and end backends. */
import { Client } from 'pg';
import { inject } from 'vitest';
import { atEnd } from './at-end.js';
import { clientOptions, type ConnectionOptions } from '../../src/database/connection/connection.js';
import type { TestProject } from './service.js';

export interface SideConnection {
  rows<Row = Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Holds a table of the project against everyone until the answered function is called. */
  lock(project: TestProject, table: string): Promise<() => Promise<void>>;
  /** Runs statements in the project's schema and keeps their transaction open until the answered function is called. */
  holding(project: TestProject, ...texts: readonly string[]): Promise<() => Promise<void>>;
  /** Waits until somebody waits for the transaction that is held, and answers the process id of that backend. */
  blocked(): Promise<number>;
  /** Waits until so many statements on the project wait for one another, or for the one that is held. */
  queued(project: TestProject, count: number): Promise<void>;
  /** Answers the process ids of the backends that wait for a lock on the table, once there are `count` of them. */
  waiting(project: TestProject, table: string, count?: number): Promise<number[]>;
}

/** Milliseconds; who is waited for may be a process that has to start. */
const WAITED_MS = 20_000;

/** Who waits for whom. On Citus a backend also waits for a row that another one holds on a worker. */
const WAITS = process.env['TEST_CITUS_URL']
  ? 'SELECT citus_pid_for_gpid(waiting_gpid) AS pid, citus_pid_for_gpid(blocking_gpid) AS holder, blocked_statement AS query FROM citus_lock_waits'
  : 'SELECT pid, unnest(pg_blocking_pids(pid)) AS holder, query FROM pg_stat_activity';

export async function sideConnection(database: ConnectionOptions = inject('database')): Promise<SideConnection> {
  const connect = async () => {
    const client = new Client(clientOptions(database));
    // Whoever drops the database ends it.
    client.on('error', () => undefined);
    await client.connect();
    atEnd(() => client.end());
    return client;
  };
  // One that holds, one that looks.
  const [holder, watcher] = await Promise.all([connect(), connect()]);
  const { processID } = holder as unknown as { processID: number };
  const begin = async (project: TestProject) => {
    await holder.query('BEGIN');
    await holder.query('SELECT set_config($1, $2, true)', ['search_path', `project_${project.id}`]);
  };
  const rows = async <Row>(text: string, values: readonly unknown[] = []) =>
    (await watcher.query(text, [...values])).rows as Row[];
  return {
    rows,
    async lock(project, table) {
      await begin(project);
      await holder.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`.replaceAll('"', ''));
      return async () => void (await holder.query('COMMIT'));
    },
    async holding(project, ...texts) {
      await begin(project);
      for (const text of texts) await holder.query(text);
      return async () => void (await holder.query('COMMIT'));
    },
    async blocked() {
      for (const end = performance.now() + WAITED_MS; performance.now() < end;) {
        const [found] = await rows<{ pid: number }>(`SELECT pid FROM (${WAITS}) AS w WHERE holder = $1`, [processID]);
        if (found) return found.pid;
      }
      throw new Error('nobody waits');
    },
    async queued(project, count) {
      for (const end = performance.now() + WAITED_MS; performance.now() < end;) {
        const found = await rows(`SELECT DISTINCT pid FROM (${WAITS}) AS w WHERE strpos(query, $1) > 0`, [
          `project_${project.id}`,
        ]);
        if (found.length >= count) return;
      }
      throw new Error('nobody waits');
    },
    async waiting(project, table, count = 1) {
      for (const end = performance.now() + WAITED_MS; performance.now() < end;) {
        const found = await rows<{ pid: number }>(
          'SELECT l.pid FROM pg_locks l JOIN pg_class c ON c.oid = l.relation JOIN pg_namespace n ON n.oid = c.relnamespace WHERE NOT l.granted AND c.relname = $1 AND n.nspname = $2',
          [table, `project_${project.id}`],
        );
        if (found.length >= count) return found.map(({ pid }) => pid);
      }
      throw new Error(`nobody waits for ${table}`);
    },
  };
}
