/** What a stream tells of a list, against what a page shows of it. Pure. */
import type { LiveNews, LiveUnit } from '../api/live.js';

/** What a page shows of a list. */
export interface Shown {
  /** By id, in the order of the list. */
  readonly versions: ReadonlyMap<string, number>;
  /** Whether it is the whole list, so that there is nothing after its last unit. */
  readonly isWhole: boolean;
}

/** A unit that the page does not show as it is. */
export interface Change {
  readonly version: number;
  /** Whether it is no longer in the list. */
  readonly isGone: boolean;
}

/** @param limit of the page that the stream sends */
export function changesOf(
  { type, units }: LiveNews,
  shown: Shown,
  limit: number,
): readonly (readonly [string, Change])[] {
  if (type !== 'page') return units.map(({ id, version }) => [id, { version, isGone: type === 'out' }]);
  return differences(units, shown, units.length < limit);
}

/** What one has beyond the last unit that both have, the other one may not have reached. */
function differences(page: readonly LiveUnit[], { versions, isWhole }: Shown, isWholePage: boolean) {
  const told = new Map(page.map(({ id, version }) => [id, version]));
  const ids = [...versions.keys()];
  const lastShown = isWholePage ? ids.length : ids.findLastIndex((id) => told.has(id));
  const lastTold = isWhole ? page.length : page.findLastIndex(({ id }) => versions.has(id));
  const gone = ids.filter((id, at) => at < lastShown && !told.has(id));
  const put = page.filter(({ id, version }, at) => {
    const known = versions.get(id);
    return known === undefined ? at < lastTold : known < version;
  });
  return [
    ...gone.map((id) => [id, { version: Infinity, isGone: true }] as const),
    ...put.map(({ id, version }) => [id, { version, isGone: false }] as const),
  ];
}

/** Those that the page still does not show: it may have read or stored them meanwhile. */
export function notShown(changes: ReadonlyMap<string, Change>, versions: Shown['versions']): readonly Change[] {
  return [...changes].flatMap(([id, change]) => {
    const shown = versions.get(id);
    const isShown = shown === undefined ? change.isGone : shown >= change.version;
    return isShown ? [] : [change];
  });
}

/** The version that a unit has by its `updated_at`, in microseconds. */
export function versionOf(updatedAt: unknown): number {
  const [, second = '', fraction = ''] = /^([^.Z]+)(?:\.(\d+))?Z$/.exec(String(updatedAt)) ?? [];
  return Date.parse(`${second}Z`) * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6));
}
