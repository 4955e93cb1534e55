import { MEMBER_GROUP } from '../api/members.js';
import { useKinds } from '../data/use-kinds.js';

/** The kinds whose units are members, and what they are called. */
export function useMemberKinds() {
  const { own, builtIn, groups } = useKinds();
  const all = [...own, ...builtIn];
  const kinds = groups.find(({ id }) => id === MEMBER_GROUP)?.kind_list ?? [];
  return {
    kinds,
    /** Whether somebody has made some. */
    hasOwn: own.some(({ id }) => kinds.includes(id)),
    labelOf: (id: string) => all.find((kind) => kind.id === id)?.label ?? id,
  };
}
