/** Refusals of edits and deletions by filter: each names a unit that is the reason for it, which the caller may read. */
import { Injectable } from '@nestjs/common';
import { accessDenied } from '../../../access/access.js';
import { KindError, refusal, type Message } from '../../../shared/errors.js';
import { LIMITS } from '../../../shared/limits.js';
import type { MatchingPlan, UpdateMatchingPlan } from '../../../sql/write/matching.sql.js';
import { completeRefusal, ofUnit, withFaults } from '../../../database/transaction/complete-refusal.js';
import { takenValues } from '../../draft/conflict-messages.js';
import { expressionsOf, type Draft } from '../../draft/draft.js';
import { withUnit } from '../../draft/refusal-position.js';
import { writeOnceRefusal } from '../../draft/write-once.js';
import type { Session } from '../../../catalog/session/session.js';
import { parseKey } from '../../session/unit-ids.js';
import { uniqueLists } from '../violation/all-taken-values.js';
import { writeContextOf } from '../violation/complete-violations.js';
import { ExpressionResults } from './expression-results.js';
import { leavesAllowedUnits } from '../rights.js';
import { SelectionRepository, type FoundRows, type Verdict } from './selection.repository.js';

export type MatchingOperation = 'update' | 'delete';

@Injectable()
export class MatchingRefusals {
  constructor(
    private readonly repository: SelectionRepository,
    private readonly results: ExpressionResults,
  ) {}

  /** @throws KindError 400, 403, 409 if the edit is not allowed for one of the units */
  async checkVerdict(
    session: Session,
    { schema, kind, writeOnce }: UpdateMatchingPlan,
    draft: Draft,
    { changed, unfit, leaving }: Verdict,
  ): Promise<void> {
    const [first, ...rest] = writeOnce.flatMap(({ field }, at): readonly Message[] => {
      const unit = changed[at] ?? undefined;
      return unit === undefined ? [] : (writeOnceRefusal([field])?.messages ?? []).map((each) => ({ ...each, unit }));
    });
    if (first) throw new KindError([first, ...rest]);
    if (unfit !== null) {
      const target = { schema, kind, id: parseKey(kind, unfit) };
      await withUnit(unfit, () => this.results.refuse(session, target, draft));
      // The unit was changed in between.
      const text = 'The result of an expression may not be stored in one of the units';
      throw ofUnit(refusal('parameter.bad_expression', text), unfit);
    }
    if (leaving !== null) throw ofUnit(leavesAllowedUnits(session.caller, kind), leaving);
  }

  /** The error of an edit that gives a unit the unique values of another one, with the unit; other errors as they are. */
  async withUnits(session: Session, plan: UpdateMatchingPlan, draft: Draft, error: unknown): Promise<unknown> {
    if (!(error instanceof KindError) || !error.code.endsWith('.not_unique')) return error;
    const { visibleFields } = writeContextOf(session, plan.kind);
    const written = [...plan.written, ...expressionsOf(draft).map(({ field }) => field)];
    const lists = uniqueLists(plan.kind).filter(
      (fields) => fields.some((field) => written.includes(field)) && fields.every(({ id }) => visibleFields.has(id)),
    );
    const most = Math.min(plan.most, Math.ceil(LIMITS.uniqueLookups / Math.max(1, lists.length)));
    return completeRefusal(session.executor, error, async (executor, soFar) => {
      const units = await this.repository.takenBy(executor, { ...plan, most }, draft.row, lists);
      const found = lists.flatMap((fields, at): Message[] => {
        const unit = units[at] ?? undefined;
        return unit === undefined ? [] : [{ ...takenValues(fields.map(({ id }) => id)), unit }];
      });
      return withFaults(soFar, found);
    });
  }
}

/** @throws KindError 403 if the caller may not write one of the units, 409 if there are too many */
export function checkFound(
  { caller }: Session,
  { kind, most }: MatchingPlan,
  { denied, matched }: FoundRows,
  operation: MatchingOperation,
): void {
  if (denied !== null) {
    throw ofUnit(accessDenied(caller, `You may not ${operation} some of these units of '${kind.id}'`), denied);
  }
  if (matched <= most) return;
  const text = `More than ${most} units of '${kind.id}' match; max_affected is the most that may, up to ${LIMITS.affectedMax}`;
  throw refusal('unit.too_many', text);
}
