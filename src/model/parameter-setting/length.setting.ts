/** The lengths of texts, in code points; of `binary`, in bytes. */
import type { CheckContext, DeclaredSetting } from './parameter-setting.js';

interface Lengths {
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
}

const limit = {
  unset: undefined,
  isOwn: true,
  isShownByAll: true,
  isLimit: true,
  stored: { revealing: 'values' },
  struct: { type: 'integer', schema: { type: ['integer', 'null'], minimum: 0 } },
  declared: 'number',
} as const;

export const minLength: DeclaredSetting<'minLength', number | undefined> = {
  ...limit,
  key: 'minLength',
  field: { type: 'integer', label: 'Shortest', minValue: 0 },
  check(def: Lengths, { report }: CheckContext) {
    if (def.minLength !== undefined && def.maxLength !== undefined && def.minLength > def.maxLength) {
      report('min_length', `must not be above max_length, got ${def.minLength} and ${def.maxLength}`);
    }
  },
  form: { control: 'number', label: 'Shortest', help: 'Characters at least.' },
};

export const maxLength: DeclaredSetting<'maxLength', number | undefined> = {
  ...limit,
  key: 'maxLength',
  field: { type: 'integer', label: 'Longest', minValue: 0 },
  form: { control: 'number', label: 'Longest', help: 'Characters at most; of bytes, bytes.' },
};
