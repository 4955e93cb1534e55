const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/i;

/** Whether a content type has no charset, or that of UTF-8. */
export function isUtf8(contentType: string): boolean {
  return /^utf-?8$/i.test(CHARSET.exec(contentType)?.[1] ?? 'utf-8');
}
