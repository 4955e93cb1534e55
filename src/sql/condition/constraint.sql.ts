/** The constraints of parameters as SQL. */
import type { Constraint } from '../../model/parameter-type/parameter-type.js';
import { integer, param, sql, type Fragment } from '../fragment.js';

/** Whether a value violates a constraint. Patterns are RE2's, and not tested by PostgreSQL. */
export function violation(value: Fragment, constraint: Constraint): Fragment {
  switch (constraint.type) {
    case 'min_length':
      return sql`char_length(${value}) < ${integer(constraint.limit)}`;
    case 'max_length':
      return sql`char_length(${value}) > ${integer(constraint.limit)}`;
    case 'max_bytes':
      return sql`octet_length(${value}) > ${integer(constraint.limit)}`;
    case 'scale':
      return sql`min_scale(${value}) > ${integer(constraint.limit)}`;
    // Without a cast, PostgreSQL reads the limit as a value of the column's type.
    case 'min_value':
      return sql`${value} < ${param(String(constraint.limit))}`;
    case 'max_value':
      return sql`${value} > ${param(String(constraint.limit))}`;
    case 'values':
      return sql`to_jsonb(${value}) <> ALL(
        ARRAY(SELECT jsonb_array_elements(${param(JSON.stringify(constraint.values))}::jsonb))
      )`;
    case 'pattern':
      return sql`false`;
  }
}
