/** Pictures of which sizes are made. Also for the console, so that it imports nothing else. */

export const SIZED_TYPES: readonly string[] = ['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif'];

/** Whether contents of a media type are pictures of which sizes are made. */
export function hasSizes(mediaType: string): boolean {
  return SIZED_TYPES.includes(mediaType);
}
