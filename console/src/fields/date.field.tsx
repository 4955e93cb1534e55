import type { ConsoleField } from './console-field.js';
import { shownDate } from './shown-time.js';
import { dayFirst, oneDay, TimeInput } from './times.js';
import { datesWritten } from './written.js';

export const dateField: ConsoleField = {
  label: 'Date',
  help: 'A day: 2026-01-31.',
  width: 120,
  show: shownDate,
  isFormatted: true,
  parse: (typed, text) => oneDay(datesWritten, typed, text('field.not_date'), text),
  expected: (text) => text('field.not_date'),
  control: (props) => <TimeInput props={props} native="date" shown={/^\d{4}-\d\d-\d\d$/} />,
  hint: () => '2026-01-31',
  ofFilter: dayFirst,
  groups: 'all',
  time: { periods: ['year', 'quarter', 'month', 'week', 'day'], isDay: true },
};
