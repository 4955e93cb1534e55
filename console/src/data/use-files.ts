import { FILE_KIND } from '../../../src/model/built-in-traits.js';
import type { Field } from '../api/types.js';
import { hasFiles } from './known-kinds.js';
import { useKinds } from './use-kinds.js';

/** Whether units of a kind are files, which have contents. */
export function useIsFiles(kind: string | null | undefined): boolean {
  const { own } = useKinds();
  return kind === FILE_KIND && hasFiles(own);
}

/** Whether a field refers to a file. */
export function useIsFile({ reference_kind: kind, multiple }: Pick<Field, 'reference_kind' | 'multiple'>): boolean {
  return useIsFiles(multiple ? undefined : kind);
}
