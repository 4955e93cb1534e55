import { OPERATORS, type ParameterType } from './parameter-type.js';
import { acceptText, textConstraints } from './text-rules.js';

/** A long text. */
export const textType: ParameterType = {
  id: 'text',
  label: 'Text',
  wants: 'a string',
  column: 'text',
  json: 'native',
  fields: ['default', 'min_length', 'max_length', 'strip'],
  operators: OPERATORS.text,
  keyable: true,
  indexable: true,
  accept: acceptText,
  read: (text) => text,
  constraints: textConstraints,
};
