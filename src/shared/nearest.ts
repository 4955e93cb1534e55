import { closest, distance } from 'fastest-levenshtein';

/** `" (did you mean 'title'?)"` where a known name is near enough to the unknown one, else the empty string. */
export function didYouMean(unknown: string, known: Iterable<string>): string {
  const names = [...known];
  if (names.length === 0 || unknown.length > 100) return '';
  const nearest = closest(unknown, names);
  // Two letters changed places count as two edits.
  const near = Math.max(unknown.length < 4 ? 1 : 2, Math.floor(unknown.length / 3));
  return distance(unknown, nearest) <= near ? ` (did you mean '${nearest}'?)` : '';
}
