import { InvalidArgumentError } from 'commander';
import { ACCESS_DEFAULTS, type AccessDefault } from '../../model/parameter-setting/access.setting.js';

/** Parses the setting `access_default` of a project. */
export function parseAccessDefault(text: string): AccessDefault {
  const value = ACCESS_DEFAULTS.find((each) => each === text);
  if (value) return value;
  throw new InvalidArgumentError('access_default is open or closed.');
}
