import { type ParameterType, OPERATORS } from './parameter-type.js';
import { acceptText, textBodyRules, textConstraints, textExample, textSchema } from './text-rules.js';

/** A short text: a name, a code, one of a few values. */
export const stringType: ParameterType<'string', 'string'> = {
  id: 'string',
  label: 'String',
  expects: 'a string',
  column: 'text',
  json: 'native',
  fields: ['default', 'min_length', 'max_length', 'strip', 'values', 'transitions', 'pattern', 'search'],
  operators: OPERATORS.text,
  keyable: true,
  sortable: true,
  accept: acceptText,
  read: (text) => text,
  makes: 'member',
  constraints: textConstraints,
  typescript: 'string',
  schema: { type: 'string' },
  ruleSchema: textSchema,
  bodyRuleSchema: textBodyRules,
  example: textExample,
};
