/**
 * Entity tags (RFC 9110, section 8.8.3). The tag of a unit contains the version of the unit, which `If-Match` checks,
 * and the version of its kind's representation, which `If-None-Match` checks too.
 */

/**
 * @param tag the unit's version from the database, in microseconds
 * @param presentation up to 13 digits and letters
 */
export function etagOf(tag: string, presentation: string): string {
  const version = Number(tag);
  // Numbers are converted faster than bigints.
  const text = Number.isSafeInteger(version) ? version.toString(36) : BigInt(tag).toString(36);
  return `"${text}-${presentation}"`;
}

/** Whether an `If-None-Match` header contains this tag (weak comparison). */
export function etagMatches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return parseTags(header).includes(etag);
}

/** The versions that an `If-Match` header accepts: undefined, which is any, without the header and for `*` (strong comparison). */
export function expectedVersions(header: string | undefined): readonly string[] | undefined {
  if (header === undefined || header.trim() === '*') return undefined;
  return parseTags(header, true).flatMap((tag) => {
    const version = /^"([0-9a-z]{1,13})-[0-9a-z]{1,13}"$/.exec(tag)?.[1];
    return version === undefined ? [] : [fromBase36(version)];
  });
}

function parseTags(header: string, strong = false): string[] {
  const tags = [...header.matchAll(/(W\/)?("[^"]*")/g)];
  return tags.flatMap(([, weak, tag = '']) => (strong && weak ? [] : [tag]));
}

function fromBase36(text: string): string {
  let value = 0n;
  for (const digit of text) value = value * 36n + BigInt(parseInt(digit, 36));
  return value.toString();
}
