const ETAG_DIGITS = 32;

/** The ETag of a content, or of a size of it. */
export function contentEtag({ sha256, size }: { readonly sha256: string; readonly size?: string | undefined }): string {
  const digits = sha256.slice(0, ETAG_DIGITS);
  return size === undefined ? `"${digits}"` : `"${digits}-${size}"`;
}
