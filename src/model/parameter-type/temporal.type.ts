/** The types of dates and times. Their values are texts in JSON; the types differ in how these are parsed and shown. */
import { scalarText, typeName } from '../../shared/json.js';
import { inUtc, parseDate, parseInstant, parseTime, readDate, readInstant } from './calendar.js';
import { type ParameterType, OPERATORS } from './parameter-type.js';

const YEAR = '(?:000[1-9]|00[1-9]\\d|0[1-9]\\d\\d|[1-9]\\d{3})';
const DAY = `${YEAR}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])`;
const CLOCK = '(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,6})?';
const OFFSET = '(?:[Zz]|[+-](?:0\\d|1[0-5])(?::?[0-5]\\d)?)';
const TIMESTAMP = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{6}Z$';

type Common = 'fields' | 'operators' | 'sortable' | 'accept' | 'typescript';

interface Differences<Id extends string> extends Omit<ParameterType<Id, 'string'>, Common> {
  readonly parse: (text: string) => string | undefined;
}

function temporalType<Id extends string>({ parse, ...differences }: Differences<Id>): ParameterType<Id, 'string'> {
  return {
    ...differences,
    fields: ['default'],
    operators: OPERATORS.ordered,
    sortable: true,
    typescript: 'string',
    accept(value, _rules, report) {
      if (typeof value !== 'string') {
        report('parameter.bad_type', `must be ${differences.expects}, got ${typeName(value)}`);
        return undefined;
      }
      const parsed = parse(value);
      if (parsed === undefined) report('parameter.bad_value', `must be ${differences.expects}`);
      return parsed;
    },
  };
}

export const dateType = temporalType({
  id: 'date',
  label: 'Date',
  expects: 'a date as YYYY-MM-DD',
  expectsInFilter: 'a date as YYYY-MM-DD or DD-MM-YYYY',
  moments: true,
  makes: 'now',
  column: 'date',
  json: 'text',
  keyable: true,
  parse: parseDate,
  read: readDate,
  schema: { type: 'string', format: 'date' },
  bodySchema: { type: 'string', format: 'date', pattern: `^${DAY}$` },
  example: () => '2024-01-31',
});

export const timeType = temporalType({
  id: 'time',
  label: 'Time',
  expects: 'a time of day as HH:MM:SS with at most six decimals',
  expectsInFilter: 'a time of day as HH:MM or HH:MM:SS with at most six decimals',
  column: 'time',
  json: 'text',
  keyable: false,
  parse: parseTime,
  canonical: (value) => scalarText(value).replace(/(?:\.0+|(\.\d*?)0+)$/, '$1'),
  read: (text) => parseTime(/^\d{2}:\d{2}$/.test(text) ? `${text}:00` : text),
  schema: { type: 'string', pattern: `^${CLOCK}$` },
  note: 'A time of day: `HH:MM:SS`, with up to six decimals.',
  example: () => '09:30:00',
});

const INSTANT =
  'an ISO 8601 date and time with offset, such as 2024-01-31T09:30:00Z, with at most six decimals, of a year from 0001 to 9999 in UTC';

export const datetimeType = temporalType({
  id: 'datetime',
  label: 'Date and time',
  expects: INSTANT,
  expectsInFilter: `${INSTANT}, or a date as YYYY-MM-DD or DD-MM-YYYY`,
  moments: true,
  makes: 'now',
  column: 'timestamptz',
  json: 'timestamp',
  keyable: false,
  parse: parseInstant,
  canonical: (value) => inUtc(scalarText(value)),
  anySpelling: true,
  read: readInstant,
  quoted: (value) =>
    inUtc(scalarText(value))
      .replace('T', ' ')
      .replace(/\.?0*Z$/, '+00'),
  schema: { type: 'string', format: 'date-time', pattern: TIMESTAMP },
  bodySchema: { type: 'string', format: 'date-time', pattern: `^${DAY}[Tt]${CLOCK}${OFFSET}$` },
  note: 'ISO 8601 with an offset, with up to six decimals; answered in UTC.',
  example: () => '2024-01-31T09:30:00Z',
});
