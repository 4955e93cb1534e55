import { refusal } from '../../shared/errors.js';
import { textFault } from '../../shared/json.js';
import { LIMITS } from '../../shared/limits.js';

/** Control characters, line separators, and what turns the direction of the text around it, so that `gpj.exe` reads `exe.jpg`. */
const REMOVED = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu;

const NAMES_OF_FOLDERS: ReadonlySet<string> = new Set(['', '.', '..']);

/**
 * The name of a file as it is stored: without the path before it and without control characters, in NFC.
 * @throws KindError 400 if nothing is left of it, or too much
 */
export function fileName(given: string): string {
  const name = given
    .slice(lastSlash(given) + 1)
    .replace(REMOVED, '')
    .normalize('NFC');
  const fault = textFault(name);
  if (fault !== undefined) throw badName('parameter.bad_value', fault);
  if (NAMES_OF_FOLDERS.has(name.trim())) throw badName('parameter.bad_value', 'must be the name of a file');
  const length = [...name].length;
  if (length > LIMITS.fileName) {
    throw badName('parameter.too_long', `at most ${LIMITS.fileName} characters, got ${length}`);
  }
  return name;
}

function lastSlash(path: string): number {
  return Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'));
}

function badName(code: 'parameter.bad_value' | 'parameter.too_long', fault: string): Error {
  return refusal(code, `name: ${fault}`, { parameter: 'name' });
}
