/** The JSON of a change. Pure. */
import { instantOf } from '../model/parameter-type/calendar.js';
import type { Json } from '../shared/json.js';
import type { FeedKindPlan, SeenRow } from '../sql/changes/feed.sql.js';
import { knowsWholeProject, type Caller } from '../tenancy/caller.js';

export function writeEvent(
  { unit: { kind }, changes }: FeedKindPlan,
  row: SeenRow,
  cursor: string,
  caller: Caller,
): string {
  const { operation, id, version, origin, link, unit } = row;
  const head = {
    cursor,
    operation,
    kind_id: kind.id,
    unit_id: id,
    version: Number(version),
    at: instantOf(version),
    ...link,
    ...(unit !== null && { unit_version: Number(row.unit_version) }),
    ...(showsOrigin(origin, caller) && shownOrigin(origin)),
    ...(link === null && changes.length > 0 && operation !== 'enter' && { changes: changesOf(row, changes) }),
  };
  const text = JSON.stringify(head);
  // The unit is the JSON of PostgreSQL.
  return isOfUnit(operation) ? `${text.slice(0, -1)},"unit":${unit ?? 'null'}}` : text;
}

/** Whether the change is answered with the unit: a link is one of its own, and the others show nothing of it. */
function isOfUnit(operation: string): boolean {
  return operation === 'create' || operation === 'update' || operation === 'enter';
}

/** Who wrote is shown to those who may read the history, and to the one who did. */
function showsOrigin(origin: SeenRow['origin'], caller: Caller): boolean {
  if (knowsWholeProject(caller)) return true;
  return caller.type === 'member' && origin['member'] === caller.id && origin['member_kind'] === caller.kindId;
}

function shownOrigin({ via, key, cascade, member, member_kind }: SeenRow['origin']): object {
  return {
    via,
    key: key ?? null,
    ...(cascade === true && { cascade }),
    member: member ?? null,
    member_kind: member_kind ?? null,
  };
}

type Values = Readonly<Record<string, Json>>;

/** The values before and after, of the parameters that differ. */
function changesOf({ changed, before, after }: SeenRow, fields: FeedKindPlan['changes']): object {
  const columns = new Set(changed);
  const [was, is] = [before, after].map((text) => (text === null ? undefined : (JSON.parse(text) as Values)));
  const shown = fields.filter(({ column }) => column !== undefined && columns.has(column));
  return Object.fromEntries(shown.map(({ id }) => [id, [was?.[id] ?? null, is?.[id] ?? null]]));
}
