import type { ParameterSetting } from './parameter-setting.js';

/**
 * The parameter belongs to the kind in whose body it was defined. Other kinds may have another one of its name; the id of
 * its record begins with that of its kind (`parameterRecordId` in `shared/identifiers.ts`).
 */
export const own: ParameterSetting<'own', boolean> = {
  key: 'own',
  unset: false,
  field: { type: 'boolean', label: 'Own' },
  form: {
    control: 'flag',
    label: 'Of this kind alone',
    help: 'Other kinds may have another parameter of this name. It cannot be taken back.',
    word: 'own',
    isNotForLinks: true,
  },
};
