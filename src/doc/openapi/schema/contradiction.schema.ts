/** The settings of a parameter that the service refuses together (`model/check/check-parameter.ts`). Pure. */
import { LEVELS } from '../../../model/parameter-setting/access.setting.js';
import type { ParameterTypeId } from '../../../model/parameter-type/parameter-types.js';
import { parameterType } from '../../../model/parameter-type/type-by-id.js';
import { schemaRef, type Schema } from '../openapi.js';

interface Setting {
  readonly field: string;
  readonly value: Schema;
  readonly words: string;
  /** A new parameter without the field has this value. */
  readonly byDefault?: true;
}

const setting = (field: string, value: string | boolean = true): Setting => ({
  field,
  value: { const: value },
  words: value === true ? `\`${field}\`` : `\`${field}: ${value}\``,
});

const primary = setting('is_primary');
const multiple = setting('multiple');
const single: Setting = { ...setting('multiple', false), words: 'no `multiple`', byDefault: true };
const unique = setting('unique');
const once = setting('write_once');
const hidden = setting('hidden');
const search: Setting = { ...setting('search'), value: { type: 'string' } };
const setNull = setting('on_delete', 'set_null');
const ruled: Setting = {
  ...setting('read_access'),
  value: { not: { enum: [...LEVELS, null] } },
  words: 'a rule in `read_access`',
};
const notStored = [setting('only_run_time'), setting('persistence', 'run_time')];

const TOGETHER: readonly (readonly Setting[])[] = [
  ...[multiple, hidden, ruled, ...notStored].map((other) => [primary, other]),
  ...notStored.flatMap((other) => [
    [unique, single, other],
    ...[setting('indexed'), once, search].map((each) => [each, other]),
  ]),
  [search, multiple],
  [search, hidden],
  [setNull, once],
  [setNull, setting('nullable', false)],
  [setting('only_run_time'), setting('persistence', 'kind_parameter')],
  [setting('only_run_time', false), setting('persistence', 'run_time')],
];

const TEXTS = TOGETHER.map((settings) => settings.map(({ words }) => words).join(' with '));

/** What no body of a parameter matches, whatever its type. */
export const CONTRADICTION: Schema = {
  type: 'object',
  description: `Refused together: ${TEXTS.join('; ')}.`,
  anyOf: TOGETHER.map((settings) => allOf(settings, false)),
};

/** The part of the schema of a body that refuses contradictions. An edit may name a setting without the other. */
export function withoutContradictions(type: ParameterTypeId, create: boolean): Schema {
  const { fields, sortable } = parameterType(type);
  const given = (value: Schema): Setting => ({ field: `default_${type}`, value, words: '' });
  const own = [
    ...(create ? TOGETHER.filter((settings) => settings.some(({ byDefault }) => byDefault)) : []),
    ...(sortable ? [] : [[unique, single]]),
    ...(fields.includes('default') ? [[multiple, given({ not: { type: ['array', 'null'] } })]] : []),
    ...(fields.includes('default') && type !== 'json' ? [[single, given({ type: 'array' })]] : []),
  ];
  const ofAll = schemaRef('kind_contradiction');
  return { not: own.length === 0 ? ofAll : { anyOf: [ofAll, ...own.map((settings) => allOf(settings, create))] } };
}

function allOf(settings: readonly Setting[], create: boolean): Schema {
  return {
    properties: Object.fromEntries(settings.map(({ field, value }) => [field, value])),
    required: settings.filter(({ byDefault }) => !create || !byDefault).map(({ field }) => field),
  };
}
