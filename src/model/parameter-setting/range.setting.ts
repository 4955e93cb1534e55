/** The least and the greatest value. Those of decimals are texts. */
import type { CheckContext, DeclaredSetting } from './parameter-setting.js';

type Bound = number | string | undefined;

interface Range {
  readonly minValue?: Bound;
  readonly maxValue?: Bound;
  readonly scale?: number | undefined;
}

const bound = {
  unset: undefined,
  isOwn: true,
  isLimit: true,
  stored: { storedAs: 'json', revealing: 'values' },
  declared: 'any',
} as const;

export const minValue: DeclaredSetting<'minValue', Bound> = {
  ...bound,
  key: 'minValue',
  field: { type: 'own', label: 'Smallest' },
  check: checkRange,
  form: { control: 'number', label: 'Smallest', help: 'The smallest value that is allowed.' },
};

export const maxValue: DeclaredSetting<'maxValue', Bound> = {
  ...bound,
  key: 'maxValue',
  field: { type: 'own', label: 'Largest' },
  form: { control: 'number', label: 'Largest', help: 'The largest value that is allowed.' },
};

function checkRange({ minValue: least, maxValue: most, scale }: Range, { type, report }: CheckContext): void {
  const rules = scale === undefined ? {} : { scale };
  const accepted = [least, most].map((value, at) => {
    if (value === undefined) return false;
    let valid = true;
    const name = at === 0 ? 'min_value' : 'max_value';
    type.accept(value, rules, (code, text) => ((valid = false), report(name, text, code)));
    return valid;
  });
  if (least === undefined || most === undefined || accepted.includes(false)) return;
  const isAbove = type.compare ? type.compare(least, most) > 0 : least > most;
  if (isAbove) report('min_value', `must not be above max_value, got ${least} and ${most}`);
}
