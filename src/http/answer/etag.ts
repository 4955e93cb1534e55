/**
 * Entity tags (RFC 9110, section 8.8.3). The tag of a unit is its own version, then that of the way in which its kind
 * presents units: `If-Match` asks whether the unit is still the same, `If-None-Match` whether its answer is too.
 */

/** `tag`: the unit's version as the database tells it (microseconds); `presentation`: up to 13 digits and letters. */
export function etagOf(tag: string, presentation: string): string {
  return `"${BigInt(tag).toString(36)}-${presentation}"`;
}

/** Whether a list of tags (`If-None-Match`) has this one; weak comparison. */
export function etagMatches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return tagsOf(header).includes(etag);
}

/** What `If-Match` asks for: undefined for nothing, `any`, or the versions of which the unit must have one; strong comparison. */
export function expectedVersions(header: string | undefined): 'any' | readonly string[] | undefined {
  if (header === undefined) return undefined;
  if (header.trim() === '*') return 'any';
  return tagsOf(header, true).flatMap((tag) => {
    const version = /^"([0-9a-z]{1,13})-[0-9a-z]{1,13}"$/.exec(tag)?.[1];
    return version === undefined ? [] : [fromBase36(version)];
  });
}

function tagsOf(header: string, strong = false): string[] {
  const tags = [...header.matchAll(/(W\/)?("[^"]*")/g)];
  return tags.flatMap(([, weak, tag = '']) => (strong && weak ? [] : [tag]));
}

function fromBase36(text: string): string {
  let value = 0n;
  for (const digit of text) value = value * 36n + BigInt(parseInt(digit, 36));
  return value.toString();
}
