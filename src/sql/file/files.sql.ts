/** The row of a project's files as a whole. */
import { FILES_TABLE } from '../../model/table/internal-tables.js';
import { ident, render, sql, type Statement } from '../fragment.js';

/** Ends all signed addresses of the project's files. */
export function revokeUrlsStatement(schema: string): Statement {
  return render(sql`UPDATE ${ident(schema, FILES_TABLE)} SET "epoch" = "epoch" + 1`);
}
