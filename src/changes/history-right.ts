/** What a caller may read of the history of a kind's units. Pure. */
import { grantOf } from '../access/access.js';
import { readableFields } from '../access/masks.js';
import { isTimeField } from '../model/field.js';
import type { Field, KindDef, Model } from '../model/model.js';
import { everyField } from '../model/predicate/predicate.js';
import type { HistoryRight } from '../sql/changes/feed.sql.js';
import type { Caller } from '../tenancy/caller.js';

/** Undefined where it may read none. */
export function historyRight(kind: KindDef, caller: Caller, model: Model): HistoryRight | undefined {
  const grant = grantOf(kind, 'history', caller, model);
  return grant && { access: grant.predicate, fields: versionedFields(kind, caller, model) };
}

/** The fields whose old values a caller may read, where a unit shows them. */
export function versionedFields(kind: KindDef, caller: Caller, model: Model): readonly Field[] {
  return everyField(readableFields(kind, caller, model)).filter(isVersioned);
}

/** What differs with each change, or never, is no change of its own; what only some definitions show is not told of old ones. */
function isVersioned({ id, column, shownWhere }: Field): boolean {
  return column !== undefined && shownWhere === undefined && id !== 'id' && id !== 'kind_id' && !isTimeField(id);
}
