import { textOf, type ConsoleField } from './console-field.js';
import { shownInstant } from './shown-time.js';
import { dayFirst, oneDay, TimeInput } from './times.js';
import { instantsWritten } from './written.js';

const SHOWN = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/;

export const datetimeField: ConsoleField = {
  label: 'Date and time',
  help: 'A moment, in any time zone.',
  width: 230,
  show: shownInstant,
  isFormatted: true,
  typed: (value, { multiple }) => (multiple ? textOf(value) : localTime(value as string)),
  parse: (typed, text) => oneDay(instantsWritten, typed, text('field.not_datetime'), text),
  expected: (text) => text('field.not_datetime'),
  control: (props) => <TimeInput props={props} native="datetime-local" shown={SHOWN} />,
  hint: () => '2026-01-31T13:45:00Z',
  separators: [';'],
  ofFilter: dayFirst,
  groups: 'all',
  time: { periods: ['year', 'quarter', 'month', 'week', 'day', 'hour'], first: 'month' },
};

/** A time in the time zone of the browser, as its input has it: to the millisecond. */
function localTime(iso: string): string {
  const time = new Date(iso);
  const [year, ...others] = [time.getFullYear(), time.getMonth() + 1, time.getDate()];
  if (Number.isNaN(time.getTime()) || year < 1000 || year > 9999) return iso;
  const clock = [time.getHours(), time.getMinutes(), time.getSeconds()].map(twoDigits).join(':');
  const thousandths = time.getMilliseconds();
  const rest = thousandths === 0 ? '' : `.${String(thousandths).padStart(3, '0')}`;
  return `${[year, ...others.map(twoDigits)].join('-')}T${clock}${rest}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
