import { isRules, type FieldAccess } from './access.setting.js';
import type { CheckContext, ParameterSetting } from './parameter-setting.js';

interface Flags {
  readonly primary: boolean;
  readonly multiple: boolean;
  readonly hidden: boolean;
  readonly runTime: boolean;
  readonly readAccess?: FieldAccess | undefined;
}

/** The value is the id of the unit. */
export const primary: ParameterSetting<'primary', boolean> = {
  key: 'primary',
  unset: false,
  field: { type: 'boolean', label: 'Primary' },
  check(def: Flags, { type, report }: CheckContext) {
    if (!def.primary) return;
    if (!type.keyable) report('is_primary', `a ${type.id} cannot be the key of a unit`);
    if (def.multiple) report('is_primary', 'a list cannot be the key of a unit');
    if (def.hidden) report('is_primary', 'the key of a unit cannot be hidden');
    if (isRules(def.readAccess)) report('read_access', 'the key of a unit is its id, which no rule can hide');
    if (def.runTime) report('is_primary', 'the key of a unit must be stored');
  },
  form: {
    control: 'flag',
    label: 'Is the id of the unit',
    help: 'In place of a generated one. Only while the kind has no units.',
    word: 'is the id',
    isFor: ({ keyable }) => keyable,
    isLockedByUnits: true,
    isNotForLinks: true,
  },
};
