/** The three types of the calendar: they differ in their texts alone. */
import { scalarText, typeName } from '../../shared/json.js';
import { inUtc, parseDate, parseInstant, parseTime, readDate, readInstant } from './calendar.js';
import { OPERATORS, type ParameterType } from './parameter-type.js';

type Particulars = Pick<
  ParameterType,
  'id' | 'label' | 'wants' | 'reads' | 'column' | 'json' | 'keyable' | 'read' | 'canonical'
> & {
  parse: (text: string) => string | undefined;
};

function temporalType({ parse, ...particulars }: Particulars): ParameterType {
  return {
    ...particulars,
    fields: ['default'],
    operators: OPERATORS.ordered,
    indexable: true,
    accept(value, _rules, report) {
      if (typeof value !== 'string') {
        report('parameter.bad_type', `must be ${particulars.wants}, got ${typeName(value)}`);
        return undefined;
      }
      const parsed = parse(value);
      if (parsed === undefined) report('parameter.bad_value', `must be ${particulars.wants}`);
      return parsed;
    },
  };
}

export const dateType = temporalType({
  id: 'date',
  label: 'Date',
  wants: 'a date as YYYY-MM-DD',
  reads: 'a date as YYYY-MM-DD or DD-MM-YYYY',
  column: 'date',
  json: 'text',
  keyable: true,
  parse: parseDate,
  read: readDate,
});

export const timeType = temporalType({
  id: 'time',
  label: 'Time',
  wants: 'a time of day as HH:MM:SS with at most six decimals',
  reads: 'a time of day as HH:MM or HH:MM:SS with at most six decimals',
  column: 'time',
  json: 'text',
  keyable: false,
  parse: parseTime,
  canonical: (value) => scalarText(value).replace(/(?:\.0+|(\.\d*?)0+)$/, '$1'),
  read: (text) => parseTime(/^\d{2}:\d{2}$/.test(text) ? `${text}:00` : text),
});

const INSTANT =
  'an ISO 8601 date and time with offset, such as 2024-01-31T09:30:00Z, with at most six decimals, of a year from 0001 to 9999 in UTC';

export const datetimeType = temporalType({
  id: 'datetime',
  label: 'Date and time',
  wants: INSTANT,
  reads: `${INSTANT}, or a date as YYYY-MM-DD or DD-MM-YYYY`,
  column: 'timestamptz',
  json: 'timestamp',
  keyable: false,
  parse: parseInstant,
  canonical: (value) => inUtc(scalarText(value)),
  read: readInstant,
});
