import { useQuery } from '@tanstack/react-query';
import { session } from '../api/session.js';
import type { Member } from '../api/types.js';

/** The member that is signed in. */
export function useMe() {
  return useQuery({
    queryKey: ['me'],
    queryFn: async () => (await session.call<Member>({ path: ['auth', 'me'] })).content,
  });
}
