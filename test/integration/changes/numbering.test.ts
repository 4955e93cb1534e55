/** Changes get their numbers in a time that grows with their number alone. */
import { expect, it } from 'vitest';
import { numberChangesStatement, vacuumOutboxStatement } from '../../../src/sql/changes/number.sql.js';
import { defineKinds } from '../../support/callers.js';
import { ok, query } from '../../support/definitions.js';
import { sharedService } from '../../support/service.js';
import { sideConnection } from '../../support/side-connection.js';

const service = await sharedService();

it.skipIf(process.env['TEST_CITUS_URL'] !== undefined)(
  'reads each change once, although the planner knows of none',
  async () => {
    const project = await service.project();
    const schema = `project_${project.id}`;
    const side = await sideConnection();
    await defineKinds(project, { id: 'task', changes: 'feed' });
    await ok(project.get('/changes?kinds=[task]'));
    const record = () =>
      query(
        project,
        `INSERT INTO $schema."_outbox" ("origin", "operation", "kind", "unit", "version")
          SELECT '{}', 'create', 'task', n::text, n FROM generate_series(1, 2000) AS n`,
      );
    const number = () => side.rows(numberChangesStatement(schema).text);
    await record();
    await number();
    await side.rows(vacuumOutboxStatement(schema).text);
    await record();
    const reads = async (): Promise<number> => {
      await side.rows('SELECT pg_stat_force_next_flush()');
      await side.rows('SELECT 1');
      const [row] = await side.rows<{ reads: string }>(
        `SELECT t.seq_tup_read + i.idx_tup_read AS reads
          FROM pg_stat_user_tables AS t JOIN pg_stat_user_indexes AS i USING (relid)
          WHERE t.schemaname = '${schema}' AND t.relname = '_outbox'`,
      );
      return Number(row?.reads);
    };
    const before = await reads();
    await number();
    expect(await query(project, 'SELECT count(*)::int AS left FROM $schema."_outbox"')).toEqual([{ left: 0 }]);
    // Once to find where they end, and once to move them.
    expect((await reads()) - before).toBeLessThan(10_000);
  },
);
