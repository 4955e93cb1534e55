/** The event that `after_commit` gets of a change. Pure. */
import type { Task } from '../../changes/follow/follower.js';
import { instantOf } from '../../model/parameter-type/calendar.js';
import type { Json } from '../../shared/json.js';
import type { EventRow } from '../../sql/changes/event.sql.js';

/** How many times something has followed a commit before this change, one after the other. */
export function depthOf({ origin }: EventRow): number {
  return Number(origin['depth'] ?? 0);
}

export function eventOf({ id }: Pick<Task, 'id'>, kindId: string, row: EventRow): object {
  const { operation, unit_id, version, origin, link } = row;
  return {
    id,
    operation,
    kind_id: kindId,
    unit_id,
    version: Number(version),
    at: instantOf(version),
    member: origin['member'] ?? null,
    member_kind: origin['member_kind'] ?? null,
    via: origin['via'],
    changes: JSON.parse(row.changes ?? '{}') as Json,
    unit: JSON.parse(row.unit ?? 'null') as Json,
    link,
  };
}
