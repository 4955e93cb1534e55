import { InvalidArgumentError } from 'commander';
import { LIMITS } from '../../shared/limits.js';

/** Parses the label of a project. */
export function parseLabel(text: string): string {
  const trimmed = text.trim();
  const length = [...trimmed].length;
  if (length > 0 && length <= LIMITS.labelLength) return trimmed;
  throw new InvalidArgumentError(`A label has 1 to ${LIMITS.labelLength} characters.`);
}
