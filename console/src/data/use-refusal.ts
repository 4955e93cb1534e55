import type { ToldOperation } from '../api/rights.js';
import { useWhyNot } from '../shell/use-rights.js';
import { useKinds } from './use-kinds.js';

/** Why the member may not do something with units of several kinds; undefined if it may, with some of each at least. */
export function useRefusal() {
  const whyNot = useWhyNot();
  const { labelOf } = useKinds();
  return (operation: Exclude<ToldOperation, 'link' | 'history'>, kinds: readonly string[]): string | undefined =>
    kinds.flatMap((kind) => whyNot(operation, kind, labelOf(kind)) ?? [])[0];
}
