import type { ParameterType } from './parameter-type.js';
import { acceptText, textBodyRules, textConstraints, textExample, textSchema } from './text-rules.js';
import { OPERATORS } from './operators.js';

/** A long text. */
export const textType: ParameterType<'text', 'string'> = {
  id: 'text',
  label: 'Text',
  expects: 'a string',
  column: 'text',
  json: 'native',
  fields: ['default', 'min_length', 'max_length', 'strip'],
  operators: OPERATORS.text,
  keyable: true,
  sortable: true,
  accept: acceptText,
  read: (text) => text,
  constraints: textConstraints,
  typescript: 'string',
  schema: { type: 'string' },
  ruleSchema: textSchema,
  bodyRuleSchema: textBodyRules,
  example: textExample,
};
