import { faultTexts } from '../../shared/collect-faults.js';
import type { Faults } from '../../shared/errors.js';
import type { Json } from '../../shared/json.js';

/** The faults of the access of a function, which is checked like the access of a kind. Pure. */
export function accessTexts(access: unknown, check: (access: Json, faults: Faults) => void): string[] {
  const texts = faultTexts((faults) => check({ function: access as Json }, faults));
  return texts.map((text) => text.replace(/^access\.function: /, ''));
}
