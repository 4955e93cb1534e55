/** The event that `after_commit` gets of a change. Pure. */
import type { Task } from '../../changes/follow/follower.js';
import type { KindDef } from '../../model/model.js';
import { isTimeField } from '../../model/field.js';
import { instantOf } from '../../model/parameter-type/calendar.js';
import type { Json } from '../../shared/json.js';
import type { EventRow } from '../../sql/changes/event.sql.js';

type Values = Readonly<Record<string, Json>>;

/** How many times something has followed a commit before this change, one after the other. */
export function depthOf({ origin }: EventRow): number {
  return Number(origin['depth'] ?? 0);
}

export function eventOf(kind: KindDef, { id }: Pick<Task, 'id'>, row: EventRow): object {
  const { operation, unit_id, version, origin, link, changed } = row;
  const [before, after] = [row.before, row.after].map((text) => (text === null ? null : (JSON.parse(text) as Values)));
  const columns = new Set(changed);
  const changes = [...kind.fields.values()].flatMap(({ id: name, def, column }) => {
    const isShown = column !== undefined && columns.has(column) && !def.hidden && name !== 'id' && !isTimeField(name);
    return isShown ? [[name, [before?.[name] ?? null, after?.[name] ?? null]]] : [];
  });
  return {
    id,
    operation,
    kind_id: kind.id,
    unit_id,
    version: Number(version),
    at: instantOf(version),
    member: origin['member'] ?? null,
    member_kind: origin['member_kind'] ?? null,
    via: origin['via'],
    changes: Object.fromEntries(changes) as object,
    unit: operation === 'delete' ? before : after,
    link,
  };
}
