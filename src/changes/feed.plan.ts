/** Plans what a caller may see of changes. Pure. */
import { authorizeKind, checkActive, grantOf } from '../access/access.js';
import type { Opened } from '../run/command.js';
import type { Parsed } from '../http/route/parse-list-query.js';
import type { KindDef } from '../model/model.js';
import { hasMoment } from '../model/predicate/related.js';
import { refusal } from '../shared/errors.js';
import type { FeedKindPlan } from '../sql/changes/feed.sql.js';
import type { ReadPlan } from '../sql/list/select.sql.js';
import { planContextOf, planList, planQuery } from '../unit/query/list.plan.js';
import { readableUnits } from '../unit/table/rights.js';
import type { FeedQuery } from './feed.query.js';
import { historyRight } from './history-right.js';

export interface FeedPlan {
  readonly query: FeedQuery;
  readonly kinds: ReadonlyMap<string, FeedKindPlan>;
}

const ALL_KINDS = '*';

/** The kinds of a query. @throws KindError 401, 403, 404, and 400 for one whose changes are not recorded */
export function authorizeFeed({ model, caller }: Opened, names: readonly string[]): readonly KindDef[] {
  if (names.includes(ALL_KINDS)) {
    return [...model.kinds.values()].filter((kind) => isRecorded(kind) && grantOf(kind, 'read', caller, model));
  }
  return names.map((id) => {
    const { kind } = authorizeKind(model, id, 'read', caller);
    checkActive(kind);
    if (isRecorded(kind)) return kind;
    const text = `kinds: the changes of '${id}' are not recorded; its setting changes is 'none'`;
    throw refusal('changes.off', text, { parameter: 'kinds' });
  });
}

function isRecorded({ changes }: KindDef): boolean {
  return changes !== 'none';
}

/** @throws KindError 400 with all faults of the query */
export function planFeed(opened: Opened, kinds: readonly KindDef[], parsed: Parsed<FeedQuery>): FeedPlan {
  return planQuery(parsed, (query) => ({
    query,
    kinds: new Map(kinds.map((kind) => [kind.id, planKind(opened, kind, query)])),
  }));
}

function planKind(opened: Opened, kind: KindDef, { list }: FeedQuery): FeedKindPlan {
  const { caller, model } = opened;
  const unit = planList(
    { ...list, count: 'none' },
    planContextOf(opened, { kind, access: readableUnits(opened, kind) }),
  );
  const { filter } = unit;
  if (filter && hasMoment(filter)) {
    throw refusal(
      'filter.bad_value',
      'filter: the time of a change is not that of a filter; @now is not possible here',
      {
        parameter: 'filter',
      },
    );
  }
  return { unit, filter, history: historyRight(kind, caller, model) };
}

/** The units at the other end of links. */
export function planChildren(opened: Opened, kinds: readonly string[]): readonly ReadPlan[] {
  const { model, project } = opened;
  return kinds.flatMap((id) => {
    const kind = model.kinds.get(id);
    return kind ? [{ schema: project.schema, kind, fields: [], access: readableUnits(opened, kind) }] : [];
  });
}
