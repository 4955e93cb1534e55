/** What has changed elsewhere in a list, or in a unit, since the page has read it. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { LiveNews } from '../api/live.js';
import { session } from '../api/session.js';
import type { Unit } from '../api/types.js';
import { MOST_UNITS } from '../api/units.js';
import { kindsQuery } from '../data/known-kinds.js';
import { useMe } from '../shell/use-me.js';
import { changesOf, notShown, versionOf, type Change } from './changes.js';
import { sharedStream } from './shared-stream.js';

interface FollowedList {
  readonly kind: string;
  readonly filter: string;
  readonly order?: string;
  /** What the page shows. */
  readonly units: readonly Unit[];
  /** Whether these are all. */
  readonly isWhole: boolean;
  /** False while they are read, and where the list cannot be followed. */
  readonly isRead: boolean;
}

interface LiveList {
  /** Those that the page does not show as they are. */
  readonly changes: readonly Change[];
  /** Whether the page is told of changes. */
  readonly isFollowed: boolean;
}

/** What comes together is shown together; and what this page itself has stored, it shows by then. */
const TOGETHER_MS = 500;
const NOTHING: ReadonlyMap<string, Change> = new Map();

export function useLiveList({ kind, filter, order = '', units, isWhole, isRead }: FollowedList): LiveList {
  const isRecorded = useRecorded(kind);
  const { data: me } = useMe();
  const member = me && `${session.project} ${me.kind_id} ${me.id}`;
  const [changes, setChanges] = useState(NOTHING);
  const [isFollowed, setFollowed] = useState(false);
  const versions = useMemo(() => new Map(units.map((unit) => [unit.id, versionOf(unit['updated_at'])])), [units]);
  const shown = useRef({ versions, isWhole });
  useEffect(() => void (shown.current = { versions, isWhole }), [versions, isWhole]);
  const path = pathOf(kind, filter, order);
  useEffect(() => {
    if (!isRead || !isRecorded || member === undefined) return undefined;
    const waiting = new Map<string, Change>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = (): void => {
      timer = undefined;
      const news = [...waiting];
      waiting.clear();
      setFollowed(true);
      setChanges((before) => (before.size < MOST_UNITS ? new Map([...before, ...news]) : before));
    };
    const take = (news: LiveNews): void => {
      for (const [id, change] of changesOf(news, shown.current, MOST_UNITS)) waiting.set(id, change);
      timer ??= setTimeout(show, TOGETHER_MS);
    };
    const stop = sharedStream(member).follow(path, take);
    return () => {
      stop();
      clearTimeout(timer);
      setFollowed(false);
      setChanges(NOTHING);
    };
  }, [path, isRead, isRecorded, member]);
  return { changes: useMemo(() => notShown(changes, versions), [changes, versions]), isFollowed };
}

/** Whether the changes of a kind are recorded. Who may not read its definition is told nothing, and asks nothing. */
function useRecorded(kind: string): boolean {
  const { data: [kinds] = [[]] } = useQuery(kindsQuery());
  const found = kinds.find(({ id }) => id === kind);
  return (found?.changes ?? 'none') !== 'none';
}

/** The ids are enough. */
function pathOf(kind: string, filter: string, order: string): string {
  const query = new URLSearchParams({ include: 'id', count: 'none', limit: String(MOST_UNITS) });
  if (filter) query.set('filter', filter);
  if (order) query.set('order', order);
  return `/${encodeURIComponent(kind)}/unit?${query.toString()}`;
}
