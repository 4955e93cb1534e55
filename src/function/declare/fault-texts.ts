/** Validates declarations with the checks of request bodies, and returns the texts of the faults. Pure. */
import { Faults, KindError } from '../../shared/errors.js';
import type { Json } from '../../shared/json.js';

export function faultTexts(check: (faults: Faults) => void): string[] {
  const faults = new Faults();
  try {
    check(faults);
    faults.throwIfAny();
  } catch (error) {
    if (!(error instanceof KindError)) throw error;
    return error.messages.map(({ text }) => text);
  }
  return [];
}

/** The same for the access of a function, which is checked like the access of a kind. */
export function accessTexts(access: unknown, check: (access: Json, faults: Faults) => void): string[] {
  const texts = faultTexts((faults) => check({ function: access as Json }, faults));
  return texts.map((text) => text.replace(/^access\.function: /, ''));
}
