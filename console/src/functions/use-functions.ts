import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { functionsOfKind, listFunctions } from '../api/functions.js';

/** The functions of all kinds, page by page. */
export function useFunctions() {
  // A module may have been changed in the meantime.
  return useInfiniteQuery({
    queryKey: ['functions'],
    queryFn: ({ pageParam }) => listFunctions(pageParam),
    initialPageParam: 0,
    getNextPageParam: ({ count, items }, pages) => {
      const shown = pages.reduce((sum, page) => sum + page.items.length, 0);
      return items.length > 0 && shown < count ? shown : undefined;
    },
    retry: false,
  });
}

export function useFunctionsOf(kind: string) {
  return useQuery({ queryKey: ['functions', kind], queryFn: () => functionsOfKind(kind), retry: false });
}
