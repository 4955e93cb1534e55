/** The JSON of a change. Pure. */
import type { Field } from '../model/model.js';
import { isConditional } from '../model/predicate/conditional-field.js';
import { instantOf } from '../model/parameter-type/calendar.js';
import type { Json } from '../shared/json.js';
import type { FeedKindPlan, SeenRow } from '../sql/changes/feed.sql.js';
import type { Caller } from '../tenancy/caller.js';

export function writeEvent(
  { unit: { kind }, history }: FeedKindPlan,
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
    ...((row.tells || isBy(caller, origin)) && shownOrigin(origin)),
    ...(link === null && row.tells && history && operation !== 'enter' && { changes: changesOf(row, history.fields) }),
  };
  const text = JSON.stringify(head);
  // The unit is the JSON of PostgreSQL.
  return isOfUnit(operation) ? `${text.slice(0, -1)},"unit":${unit ?? 'null'}}` : text;
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

type Values = Readonly<Record<string, Json>>;

/** The values before and after, of the parameters that differ and that the caller may read in one of them. */
export function changesOf(
  { changed, before, after, origin }: Pick<SeenRow, 'changed' | 'before' | 'after' | 'origin'>,
  fields: readonly Field[],
): object {
  const columns = new Set(changed);
  const [was, is] = [before, after].map((text) => (text === null ? {} : (JSON.parse(text) as Values))) as [
    Values,
    Values,
  ];
  const isErased = origin['erased'] === true;
  const shown = fields.filter((field) => {
    if (field.column === undefined || !columns.has(field.column)) return false;
    // Nobody knows whether an erased unit showed what only some show.
    return isErased ? !isConditional(field) : field.id in was || field.id in is;
  });
  return Object.fromEntries(shown.map(({ id }) => [id, isErased ? [null, null] : [was[id] ?? null, is[id] ?? null]]));
}
