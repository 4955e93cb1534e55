import type { CheckContext, ParameterSetting } from './parameter-setting.js';

interface Settings {
  readonly writeOnce: boolean;
  readonly runTime: boolean;
  readonly onDelete: string;
}

/** A value that is there stays as it is. */
export const writeOnce: ParameterSetting<'writeOnce', boolean> = {
  key: 'writeOnce',
  unset: false,
  field: { type: 'boolean', label: 'Write once' },
  check(def: Settings, { report }: CheckContext) {
    if (!def.writeOnce) return;
    if (def.runTime) report('write_once', 'a value that is not stored cannot stay as it is');
    if (def.onDelete === 'set_null') {
      report('write_once', `'on_delete' would set the reference to null; it may be restrict or cascade here`);
    }
  },
  form: {
    control: 'flag',
    label: 'Cannot be changed once it is set',
    help: 'For everybody, administrators included.',
    word: 'set once',
    isNotForLinks: true,
  },
};
