/** What has been walked to: units, links, and how many more there are. Pure. */
import type { Direction, LinkedUnit, LinkRecord } from '../api/links.js';
import type { Page } from '../api/types.js';

/** The most units that are shown at once. */
export const MOST_UNITS = 300;
/** The most units that one step adds. */
export const MOST_PER_STEP = 25;

export interface WalkedUnit {
  readonly kind: string;
  readonly id: string;
  readonly label: string;
  /** The directions that were followed from it. */
  readonly followed: Readonly<Partial<Record<Direction, Followed>>>;
}

export interface Followed {
  readonly shown: number;
  /** All units that can be reached. */
  readonly count: number;
  /** The cursor of the others. */
  readonly next: string | null;
}

export interface WalkedLink {
  readonly id: string;
  /** The link type. */
  readonly type: string;
  readonly source: string;
  readonly target: string;
  /** With its values. */
  readonly record: LinkRecord;
}

export interface Walked {
  readonly units: ReadonlyMap<string, WalkedUnit>;
  readonly links: ReadonlyMap<string, WalkedLink>;
  /** Units that were left out because there are too many. */
  readonly leftOut: number;
}

export type Labels = (unit: LinkedUnit) => string;

export function unitKey(kind: string, id: string): string {
  return `${kind} ${id}`;
}

export function startedAt(kind: string, id: string, label: string): Walked {
  return { units: new Map([[unitKey(kind, id), { kind, id, label, followed: {} }]]), links: new Map(), leftOut: 0 };
}

/** With the units of a page of a walk. */
export function followed(
  walked: Walked,
  from: string,
  direction: Direction,
  page: Page<LinkedUnit>,
  labelOf: Labels,
): Walked {
  const more = withUnits(walked, page.items, labelOf, { from, direction });
  const unit = more.units.get(from);
  if (!unit) return more;
  const before = unit.followed[direction];
  const now: Followed = {
    shown: (before?.shown ?? 0) + page.items.length,
    count: before?.count ?? page.count,
    next: page.next ?? null,
  };
  return {
    ...more,
    units: new Map([...more.units, [from, { ...unit, followed: { ...unit.followed, [direction]: now } }]]),
  };
}

/** Where units were reached from. */
export interface Origin {
  readonly from: string;
  readonly direction: Direction;
}

/** With units that were reached over links, as far as there is room. Links between units that are shown are shown. */
export function withUnits(walked: Walked, found: readonly LinkedUnit[], labelOf: Labels, origin: Origin): Walked {
  const units = new Map(walked.units);
  const links = new Map(walked.links);
  let { leftOut } = walked;
  for (const unit of found) {
    const key = unitKey(unit.kind_id, unit.id);
    if (units.has(key)) continue;
    if (units.size >= MOST_UNITS) leftOut += 1;
    else units.set(key, { kind: unit.kind_id, id: unit.id, label: labelOf(unit), followed: {} });
  }
  for (const link of linksOf(found, origin, units)) {
    if (units.has(link.source) && units.has(link.target)) links.set(link.id, link);
  }
  return { units, links, leftOut };
}

/** The links over which units were reached. A link names its ends by their ids alone: the nearer one was reached before. */
export function linksOf(
  found: readonly LinkedUnit[],
  { from, direction }: Origin,
  units: ReadonlyMap<string, WalkedUnit>,
): readonly WalkedLink[] {
  return found.map(({ kind_id: kind, id, link: record }) => {
    const { link_id: type, parent_id: parent, child_id: child, depth } = record;
    const reached = unitKey(kind, id);
    const nearerId = direction === 'child' ? parent : child;
    const known =
      found.find((each) => each.id === nearerId && each.link.depth === depth - 1)?.kind_id ??
      [...units.values()].find((each) => each.id === nearerId)?.kind ??
      kind;
    const nearer = depth === 0 ? from : unitKey(known, nearerId);
    const [source, target] = direction === 'child' ? [nearer, reached] : [reached, nearer];
    return { id: `${type} ${source} ${target}`, type, source, target, record };
  });
}
