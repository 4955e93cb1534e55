import type { ParameterSetting } from './parameter-setting.js';

/** Validated and passed to functions and hooks, but not stored. `persistence: run_time` says the same. */
export const onlyRunTime: ParameterSetting<'runTime', boolean> = {
  key: 'runTime',
  unset: false,
  field: { type: 'boolean', label: 'Only at run time' },
  read: (record) => record['only_run_time'] === true || record['persistence'] === 'run_time',
  form: {
    control: 'flag',
    label: 'Not stored',
    help: 'It is checked, and passed to functions and hooks.',
  },
};
