/** A parameter type for tests only, in one file like the types of the service. */
import { scalarText, typeName } from '../../src/shared/json.js';
import {
  type Constraint,
  type ParameterType,
  type Stored,
  OPERATORS,
} from '../../src/model/parameter-type/parameter-type.js';

const PATTERN = /^(\d+):([0-5]\d)(?::([0-5]\d))?$/;

/** `HH:MM:SS` with at least two digits of hours, as PostgreSQL writes an interval; undefined if the text is no duration. */
function parse(text: string): string | undefined {
  const [, hours, minutes, seconds = '00'] = PATTERN.exec(text) ?? [];
  return hours === undefined ? undefined : `${String(Number(hours)).padStart(2, '0')}:${minutes}:${seconds}`;
}

function secondsOf(value: Stored): number {
  const [hours = 0, minutes = 0, seconds = 0] = (parse(scalarText(value)) ?? '').split(':').map(Number);
  return hours * 3600 + minutes * 60 + seconds;
}

export const durationType: ParameterType<'duration', 'string'> = {
  id: 'duration',
  label: 'Duration',
  expects: 'a duration as HH:MM or HH:MM:SS',
  column: 'interval',
  json: 'text',
  fields: ['default', 'min_value', 'max_value'],
  operators: OPERATORS.ordered,
  keyable: true,
  sortable: true,
  accept(value, { minValue, maxValue }, report) {
    if (typeof value !== 'string') {
      report('parameter.bad_type', `must be ${durationType.expects}, got ${typeName(value)}`);
      return undefined;
    }
    const duration = parse(value);
    if (duration === undefined) report('parameter.bad_value', `must be ${durationType.expects}`);
    else if (minValue !== undefined && secondsOf(duration) < secondsOf(minValue)) {
      report('parameter.too_small', `at least ${minValue}, got ${duration}`);
    } else if (maxValue !== undefined && secondsOf(duration) > secondsOf(maxValue)) {
      report('parameter.too_large', `at most ${maxValue}, got ${duration}`);
    } else return duration;
    return undefined;
  },
  canonical: (value) => parse(scalarText(value)) ?? value,
  compare: (a, b) => secondsOf(a) - secondsOf(b),
  constraints({ minValue, maxValue }) {
    const found: Constraint[] = [];
    if (minValue !== undefined) found.push({ type: 'min_value', limit: minValue });
    if (maxValue !== undefined) found.push({ type: 'max_value', limit: maxValue });
    return found;
  },
  read: parse,
  typescript: 'string',
  schema: { type: 'string', pattern: '^\\d{2,}:[0-5]\\d:[0-5]\\d$' },
  bodySchema: { type: 'string', pattern: '^\\d+:[0-5]\\d(:[0-5]\\d)?$' },
  note: 'Hours, minutes and seconds.',
  example: () => '01:30:00',
};
