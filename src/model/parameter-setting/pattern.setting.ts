import { LIMITS } from '../../shared/limits.js';
import type { CheckContext, DeclaredSetting } from './parameter-setting.js';

/** A regular expression of the RE2 dialect that a value must contain a match of. */
export const pattern: DeclaredSetting<'pattern', string | undefined> = {
  key: 'pattern',
  unset: undefined,
  isOwn: true,
  isLimit: true,
  field: { type: 'string', label: 'Pattern', maxLength: 500 },
  stored: { revealing: 'values' },
  check(def: { readonly pattern?: string | undefined }, { report, checkPattern }: CheckContext) {
    if (def.pattern === undefined) return;
    if ([...def.pattern].length > LIMITS.patternLength) {
      return report('pattern', `at most ${LIMITS.patternLength} characters`, 'parameter.too_long');
    }
    checkPattern(def.pattern, (code, text) => report('pattern', text, code));
  },
  declared: 'string',
  form: {
    control: 'text',
    label: 'Pattern',
    help: 'A regular expression that a value must match, such as ^[A-Z]{2}$.',
  },
};
