/** Whether the database compares all values: so that no two are the same, or to find them fast. */
import type { CheckContext, DeclaredSetting, ParameterSetting } from './parameter-setting.js';

interface Flags {
  readonly unique: boolean;
  readonly indexed: boolean;
  readonly multiple: boolean;
  readonly runTime: boolean;
}

/** Of a list: that its elements are distinct. */
export const unique: DeclaredSetting<'unique', boolean> = {
  key: 'unique',
  unset: false,
  field: { type: 'boolean', label: 'Unique' },
  read: (record) => record['unique'] === true || record['sequence'] === true,
  check(def: Flags, context: CheckContext) {
    if (def.unique && !def.multiple) checkIndex('unique', def, context);
  },
  declared: 'boolean',
  form: {
    control: 'flag',
    label: 'Unique',
    help: 'No two units have the same.',
    place: 3,
    word: 'unique',
    isFor: ({ sortable }) => sortable,
    isNotForLinks: true,
  },
};

export const indexed: ParameterSetting<'indexed', boolean> = {
  key: 'indexed',
  unset: false,
  field: { type: 'boolean', label: 'Indexed' },
  check(def: Flags, context: CheckContext) {
    if (def.indexed) checkIndex('indexed', def, context);
  },
  form: {
    control: 'flag',
    label: 'Indexed',
    help: 'Filters and orders by it are fast.',
    place: 4,
    word: 'indexed',
    // References always have an index.
    isFor: ({ sortable, id }) => sortable && id !== 'unit',
  },
};

function checkIndex(name: string, { runTime }: Flags, { type, report }: CheckContext): void {
  if (!type.sortable) report(name, `a ${type.id} cannot be ${name}`);
  if (runTime) report(name, 'what is not stored has no index');
}
