/** How contents are sent, whole or in parts. */
import type { Upload } from './client.js';

export interface Sending extends Pick<Upload, 'onProgress'> {
  readonly signal: AbortSignal;
}

/** An upload in parts that has begun: another try goes on where it was. */
export interface Begun {
  id?: string;
}

/** Contents of more bytes are sent in parts, so that a broken connection does not begin again. */
export const PART_BYTES = 8 * 1024 * 1024;
const UNKNOWN_TYPE = 'application/octet-stream';

/** What the browser takes a file for; the service finds out. */
export function typeOf({ type }: Pick<File, 'type'>): string {
  return type === '' ? UNKNOWN_TYPE : type;
}
