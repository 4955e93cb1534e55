import type { ParameterType } from './parameter-type.js';
import { stringType } from './string.type.js';

/** A long text. It differs from `string` only in the settings that its parameters have. */
export const textType: ParameterType<'text', 'string'> = {
  ...stringType,
  id: 'text',
  label: 'Text',
  makes: undefined,
  fields: ['default', 'min_length', 'max_length', 'strip', 'search'],
};
