/** The JSON of a change. Pure. */
import { instantOf } from '../model/parameter-type/calendar.js';
import type { FeedKindPlan, SeenRow } from '../sql/changes/feed.sql.js';
import type { Caller } from '../tenancy/caller.js';

export function writeEvent({ unit: { kind } }: FeedKindPlan, row: SeenRow, cursor: string, caller: Caller): string {
  const { operation, id, version, origin, link, unit, changes } = row;
  const head = {
    cursor,
    operation,
    kind_id: kind.id,
    unit_id: id,
    version: Number(version),
    at: instantOf(version),
    ...link,
    ...(unit !== null && { unit_version: Number(row.unit_version) }),
    ...((row.tells || isBy(caller, origin)) && shownOrigin(origin)),
  };
  // The values are the JSON of PostgreSQL.
  const values = changes === null ? '' : `,"changes":${changes}`;
  const shown = isOfUnit(operation) ? `,"unit":${unit ?? 'null'}` : '';
  return `${JSON.stringify(head).slice(0, -1)}${values}${shown}}`;
}

/** Whether the change is answered with the unit: a link is one of its own, and the others show nothing of it. */
function isOfUnit(operation: string): boolean {
  return operation === 'create' || operation === 'update' || operation === 'enter';
}

/** Whether a caller made the change: it is told how, as those are who may read the history. */
function isBy(caller: Caller, origin: SeenRow['origin']): boolean {
  return caller.type === 'member' && origin['member'] === caller.id && origin['member_kind'] === caller.kindId;
}

/** Who made a change, and how. */
export function shownOrigin({ via, key, cascade, member, member_kind, erased }: SeenRow['origin']): object {
  return {
    via,
    key: key ?? null,
    ...(cascade === true && { cascade }),
    member: member ?? null,
    member_kind: member_kind ?? null,
    ...(erased === true && { erased }),
  };
}
