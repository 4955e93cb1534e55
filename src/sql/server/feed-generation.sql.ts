/** Which cursors of changes are valid in the whole database: those of its present timeline. */
import { REGISTRY_SCHEMA } from '../../model/names.js';
import { ident, param, render, sql, type Statement } from '../fragment.js';

const FEED = ident(REGISTRY_SCHEMA, 'feed');

/** One row `timeline`: it changes with a fail-over, and with a restore to a point in time. */
export const READ_TIMELINE: Statement = render(sql`SELECT "timeline_id" AS timeline FROM pg_control_checkpoint()`);

/** One row `generation`, if it was noted for the timeline. */
export function findGenerationStatement(timeline: number): Statement {
  return render(sql`SELECT "generation" AS generation FROM ${FEED} WHERE "timeline" = ${param(timeline)}::bigint`);
}

/** Notes the timeline, with another generation if it is another one. One row `generation`. */
export function noteGenerationStatement(timeline: number, generation: string): Statement {
  return render(sql`
    INSERT INTO ${FEED} AS f ("id", "timeline", "generation")
    VALUES (1, ${param(timeline)}::bigint, ${param(generation)})
    ON CONFLICT ("id") DO UPDATE SET
      "generation" = CASE WHEN f."timeline" = excluded."timeline" THEN f."generation" ELSE excluded."generation" END,
      "timeline" = excluded."timeline"
    RETURNING "generation" AS generation
  `);
}
