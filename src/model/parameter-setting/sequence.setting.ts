import type { Json } from '../../shared/json.js';
import type { CheckContext, ParameterSetting } from './parameter-setting.js';

interface Settings {
  readonly sequence: boolean;
  readonly multiple: boolean;
  readonly runTime: boolean;
  readonly primary: boolean;
  readonly required: boolean;
  readonly default: Json;
  readonly values?: readonly unknown[] | undefined;
  readonly minValue?: unknown;
  readonly maxValue?: unknown;
}

/** The next number of the kind, which every new unit gets: unique, never null, with gaps. Nobody writes it. */
export const sequence: ParameterSetting<'sequence', boolean> = {
  key: 'sequence',
  unset: false,
  isOwn: true,
  field: { type: 'boolean', label: 'Sequence' },
  check(def: Settings, { report }: CheckContext) {
    if (!def.sequence) return;
    const contradictions: [boolean, string][] = [
      [def.multiple, 'a list is not numbered'],
      [def.runTime, 'a number that is not stored cannot be followed by the next'],
      [def.primary, 'the key of a unit is made before its number'],
      [def.required, 'the number is made, so that no body has to give it'],
      [def.default !== null, 'the number is made, so that it needs no default'],
      [def.values !== undefined, 'numbers go on, so that they have no list of values'],
      [def.minValue !== undefined || def.maxValue !== undefined, 'numbers go on, so that they have no limits'],
    ];
    for (const [, text] of contradictions.filter(([contradicts]) => contradicts)) report('sequence', text);
  },
  form: {
    control: 'flag',
    label: 'Numbered',
    help: 'Each new unit gets the next number of its kind. Nobody writes it.',
    word: 'numbered',
    isNotForLinks: true,
  },
};
