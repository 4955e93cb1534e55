/** The addresses of the editors of access. */
export type AccessOf = 'kind' | 'link' | 'field';

/** @param id of a field the id of its parameter */
export function accessAddress(of: AccessOf, id: string, operation: string): string {
  return `/access/${of}/${encodeURIComponent(id)}/${operation}`;
}
