import { closest, distance } from 'fastest-levenshtein';
import { LIMITS } from './limits.js';

/** ` (did you mean 'title'?)` if a known name is similar enough to the unknown one, else the empty string. */
export function didYouMean(unknown: string, known: Iterable<string>): string {
  const nearest = nearestTo(unknown, known);
  return nearest === undefined ? '' : ` (did you mean '${nearest}'?)`;
}

/** The most similar of these names, if it is similar enough. */
export function nearestTo(name: string, others: Iterable<string>): string | undefined {
  if (name.length > 100) return undefined;
  // Two swapped letters count as two edits.
  const near = Math.max(name.length < 4 ? 1 : 2, Math.floor(name.length / 3));
  const names: string[] = [];
  for (const other of others) {
    if (Math.abs(other.length - name.length) <= near && names.push(other) >= LIMITS.hintNames) break;
  }
  if (names.length === 0) return undefined;
  const nearest = closest(name, names);
  return distance(name, nearest) <= near ? nearest : undefined;
}
