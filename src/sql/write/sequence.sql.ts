/**
 * Numbers of sequences. They are asked for apart from the INSERT, because the sequence is on the coordinator of Citus, and
 * the table may be on a worker.
 */
import { ident, integer, literal, param, render, sql, type Fragment, type Statement } from '../fragment.js';

export interface SequenceName {
  readonly schema: string;
  readonly sequence: string;
}

/** One row `numbers`: the next ones, as a JSON list. */
export function nextNumbersStatement(name: SequenceName, count: number): Statement {
  return render(sql`
    SELECT json_agg(nextval(${nameText(name)})) AS numbers
    FROM generate_series(1, ${param(count)}::int)
  `);
}

/** Up to so many numbers are passed over one by one. */
const FEW_NUMBERS = 10_000;

/**
 * Lets the sequence go on after a number, if it has not reached it. Nothing locks a sequence: it is set only where others
 * would have to take very many numbers meanwhile to be set back; otherwise the numbers are taken.
 */
export function advanceStatement(name: SequenceName, to: number): Statement {
  const last = sql`CASE WHEN is_called THEN last_value ELSE last_value - 1 END`;
  return render(sql`
    SELECT
      CASE
        WHEN ${integer(to)} - s.last > ${integer(FEW_NUMBERS)} THEN setval(${nameText(name)}, ${integer(to)})
        ELSE (SELECT max(nextval(${nameText(name)})) FROM generate_series(s.last + 1, ${integer(to)}))
      END AS last
    FROM (SELECT ${last} AS last FROM ${ident(name.schema, name.sequence)}) AS s
    WHERE s.last < ${integer(to)}
  `);
}

/** One row `highest`: the highest number in a column; null if it has none. */
export function highestNumberStatement(schema: string, table: string, column: string): Statement {
  return render(sql`SELECT to_json(max(${ident(column)})) AS highest FROM ${ident(schema, table)}`);
}

function nameText({ schema, sequence }: SequenceName): Fragment {
  return literal([schema, sequence].map((part) => `"${part.replaceAll('"', '""')}"`).join('.'));
}
