import { closest, distance } from 'fastest-levenshtein';

/** `" (did you mean 'title'?)"` where a known name is near enough to the unknown one, else the empty string. */
export function didYouMean(unknown: string, known: Iterable<string>): string {
  if (unknown.length > 100) return '';
  // Two letters changed places count as two edits.
  const near = Math.max(unknown.length < 4 ? 1 : 2, Math.floor(unknown.length / 3));
  const names = [...known].filter((name) => Math.abs(name.length - unknown.length) <= near);
  if (names.length === 0) return '';
  const nearest = closest(unknown, names);
  return distance(unknown, nearest) <= near ? ` (did you mean '${nearest}'?)` : '';
}
