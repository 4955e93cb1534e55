/** The form of `read_access` and `write_access`; what they mean: `parameter-setting/access.setting.ts`. */
import { LIMITS } from '../../shared/limits.js';
import { textFault, typeName } from '../../shared/json.js';
import { rulesIn } from '../parameter-setting/access.setting.js';
import { LEVELS } from '../access-levels.js';
import type { ParameterType } from './parameter-type.js';
import { stringType } from './string.type.js';

/** What a setting of access must be, for messages. */
export const ACCESS_EXPECTED = `must be one of ${LEVELS.join(', ')}, a rule, or a list of rules`;

/** The type of `read_access` and `write_access`. The syntax of rules is checked apart (`access/check-access.ts`). */
export const fieldAccessType: ParameterType = {
  ...stringType,
  expects: 'a level, a rule, or a list of rules',
  json: 'text_or_list',
  accept(value, _, report) {
    const list: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (typeof value === 'string' && LEVELS.some((level) => level === value)) return value;
    if (list.some((rule) => typeof rule !== 'string')) {
      report(
        'parameter.bad_type',
        `${ACCESS_EXPECTED}, got ${Array.isArray(value) ? 'other elements' : typeName(value)}`,
      );
    } else if (list.length === 0 || list.some((rule) => !String(rule).includes('('))) {
      report(typeof value === 'string' ? 'parameter.not_allowed' : 'parameter.bad_value', ACCESS_EXPECTED);
    } else if (list.some((rule) => textFault(String(rule)) !== undefined)) {
      report('parameter.bad_value', list.flatMap((rule) => textFault(String(rule)) ?? []).join('; '));
    } else if (list.length > LIMITS.accessRules) {
      report('parameter.bad_value', `at most ${LIMITS.accessRules} rules, got ${list.length}`);
    } else {
      return typeof value === 'string' ? value : JSON.stringify(value);
    }
    return undefined;
  },
  canonical: (stored) => (typeof stored === 'string' && stored.startsWith('[') ? rulesIn(stored) : stored),
};
