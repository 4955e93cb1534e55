/** Files whose owner is no member any more. */
import { CREDENTIAL_KIND } from '../../model/built-in-traits.js';
import type { Field } from '../../model/model.js';
import { columnRef, SET_UPDATED_AT } from '../columns.sql.js';
import { ident, join, param, render, sql, type Statement } from '../fragment.js';
import { editRows, type RecordedPlan } from '../write/recording.sql.js';

/**
 * Takes their owner from the files of a member, or of all members of a kind whose credentials are still there. One row
 * `edited`: of how many.
 */
export function disownFilesStatement(
  plan: RecordedPlan,
  owner: Field,
  of: { readonly member: string } | { readonly memberKind: string },
): Statement {
  const members =
    'member' in of
      ? sql`= ${param(of.member)}::uuid`
      : sql`IN (
          SELECT c."member_id"
          FROM ${ident(plan.schema, CREDENTIAL_KIND)} AS c
          WHERE c."member_kind" = ${param(of.memberKind)}
        )`;
  const set = join([sql`${ident(owner.column ?? owner.id)} = NULL`, SET_UPDATED_AT]);
  return render(editRows(plan, [owner], set, sql`${columnRef(owner)} ${members}`));
}
