/** The addresses of the pages that edit definitions. */
import type { DefinitionKind } from '../api/definitions.js';

export function definitionAddress(of: DefinitionKind, id: string): string {
  return of === 'kind' || of === 'link' || of === 'group'
    ? `/model/${of}/edit/${encodeURIComponent(id)}`
    : `/model/parameter/${of}/${encodeURIComponent(id)}`;
}
