import { LIMITS } from '../../shared/limits.js';
import type { CheckContext, DeclaredSetting } from './parameter-setting.js';

/** The allowed values. */
export const values: DeclaredSetting<'values', readonly (string | number)[] | undefined> = {
  key: 'values',
  unset: undefined,
  isOwn: true,
  isShownByAll: true,
  isLimit: true,
  field: { type: 'json', label: 'Allowed values' },
  stored: { revealing: 'values' },
  check(def: { readonly values?: unknown }, { type, report }: CheckContext) {
    const given = def.values;
    if (given === undefined) return;
    if (!Array.isArray(given) || given.length === 0) return report('values', 'must be a list of at least one value');
    if (given.length > LIMITS.allowedValues) {
      return report('values', `at most ${LIMITS.allowedValues}, got ${given.length}`);
    }
    const rules = { ...def, values: undefined, pattern: undefined };
    given.forEach((value, at) => {
      type.accept(value, rules, (code, text) => report('values', `[${at}]: ${text}`, code));
    });
    if (new Set(given).size !== given.length) {
      report('values', 'the same value is there twice', 'parameter.duplicate');
    }
  },
  struct: { type: 'json', schema: { type: ['array', 'null'], items: {} } },
  declared: 'any',
  form: {
    control: 'list',
    label: 'Allowed values',
    help: 'Enter after each. Without any, all are allowed.',
    place: 6,
  },
};
