import { jsonFault, jsonFaultInPieces, type Json } from '../../shared/json.js';
import { copyJson } from '../../shared/large-json.js';
import { runSync, type WorkInPieces } from '../../shared/work-in-pieces.js';
import type { ValueRules } from '../parameter-setting/parameter-settings.js';
import { type ParameterType, type ReportValueFault, type Stored, OPERATORS } from './parameter-type.js';

/** Any JSON value. Filters compare the text of the whole value, or of the value at dotted keys. */
export const jsonType: ParameterType<'json', 'Json'> = {
  id: 'json',
  label: 'JSON',
  expects: 'any JSON value',
  column: 'jsonb',
  json: 'native',
  fields: ['default'],
  operators: OPERATORS.equality,
  keyable: false,
  sortable: false,
  accept: (value, rules, report) => runSync(acceptInPieces(value, rules, report)),
  acceptInPieces,
  read: (text) => text,
  hasKeys: true,
  readStructure,
  inQuery: 'json',
  typescript: 'Json',
  schema: { type: ['object', 'array', 'string', 'number', 'boolean'] },
  note: 'Any JSON value.',
  example: () => ({ any: 'value' }),
  omittedFromExamples: true,
};

function* acceptInPieces(value: unknown, _: ValueRules, report: ReportValueFault): WorkInPieces<Stored | undefined> {
  const found = { inexact: false };
  const fault = yield* jsonFaultInPieces(value, found);
  if (!fault) return (found.inexact ? yield* copyJson(value) : value) as Stored;
  report('parameter.bad_value', fault);
  return undefined;
}

function readStructure(text: string): Json | undefined {
  if (!/^[[{]/.test(text)) return undefined;
  try {
    const value = JSON.parse(text) as Json;
    return jsonFault(value) ? undefined : value;
  } catch {
    return undefined;
  }
}
