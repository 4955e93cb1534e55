/** How contents are sent, whole or in parts. */
import type { Upload } from './client.js';

export { PART_BYTES, type Begun } from '../../../packages/client/parts.js';

export interface Sending extends Pick<Upload, 'onProgress'> {
  readonly signal: AbortSignal;
}
const UNKNOWN_TYPE = 'application/octet-stream';

/** What the browser takes a file for; the service finds out. */
export function typeOf({ type }: Pick<File, 'type'>): string {
  return type === '' ? UNKNOWN_TYPE : type;
}
