/** Where a reference leads, and what happens when the unit there is deleted. */
import type { DeclaredSetting, ParameterSetting } from './parameter-setting.js';

const DELETE_RULES = ['restrict', 'set_null', 'cascade'] as const;
export type DeleteRule = (typeof DELETE_RULES)[number];

export const referenceKind: DeclaredSetting<'referenceKind', string | undefined> = {
  key: 'referenceKind',
  unset: undefined,
  isOwn: true,
  field: { type: 'string', label: 'Referenced kind', required: true, nullable: false },
  declared: 'string',
  form: {
    control: 'kind',
    label: 'Leads to',
    help: 'The kind of the units that it can lead to.',
    place: 1,
    isLockedByUnits: true,
  },
};

export const onDelete: ParameterSetting<'onDelete', DeleteRule> = {
  key: 'onDelete',
  unset: 'restrict',
  isOwn: true,
  field: { type: 'string', label: 'On delete', values: DELETE_RULES, default: 'restrict', nullable: false },
  form: {
    control: 'choice',
    label: 'When the unit that it leads to is deleted',
    help: 'What happens to this unit.',
    choices: DELETE_RULES,
  },
};
