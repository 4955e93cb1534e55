/** The units of a list, page by page, how many they are, and what has changed since elsewhere. */
import { hashKey, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef } from 'react';
import { countUnits } from '../api/units.js';
import { useLiveList } from '../live/use-live-list.js';
import { listOf, UNITS, type Source } from './source.js';

const PAGE = 100;

interface Asked {
  readonly filter: string;
  readonly search: string;
  readonly order: string;
}

export function useUnits(source: Source, { filter, search, order }: Asked) {
  const { type, id } = source;
  const asked = [UNITS, type, id, filter, search];
  const isFollowed = useRef(false);
  const units = useInfiniteQuery({
    queryKey: [...asked, order],
    queryFn: ({ pageParam, signal }) =>
      listOf({ type, id }, { filter, search, order: order ? [order] : [], cursor: pageParam, limit: PAGE }, signal),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next ?? undefined,
    // In another order the grid stays, with the focus in it.
    placeholderData: (before, query) =>
      hashKey(query?.queryKey.slice(0, -1) ?? []) === hashKey(asked) ? before : undefined,
    // Where the page is told what has changed, nothing moves by itself.
    refetchOnWindowFocus: () => !isFollowed.current,
    retry: false,
  });
  // Beside the first page, which does not wait for it.
  const count = useQuery({
    queryKey: [UNITS, 'count', type, id, filter, search],
    queryFn: ({ signal }) => {
      const path = type === 'kind' ? [id, 'unit'] : ['group', id, 'unit'];
      return countUnits(path, { filter, search }, signal);
    },
    retry: false,
  });
  const rows = useMemo(() => units.data?.pages.flatMap(({ items }) => items) ?? [], [units.data]);
  const { fetchNextPage } = units;
  const more = useCallback(() => void fetchNextPage(), [fetchNextPage]);
  const live = useLiveList({
    kind: id,
    filter,
    order,
    units: rows,
    isWhole: !units.hasNextPage,
    isRead: type === 'kind' && search === '' && units.isSuccess && !units.isPlaceholderData && !units.isRefetching,
  });
  useEffect(() => void (isFollowed.current = live.isFollowed), [live.isFollowed]);
  const loadAgain = () => void Promise.all([units.refetch(), count.refetch()]);
  return { units, rows, count, more, changed: live.changes.length, loadAgain };
}
