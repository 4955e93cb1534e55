import { INCOMPLETE, InputError, type ConsoleField } from './console-field.js';
import { TimeInput } from './times.js';
import { timeWritten } from './written.js';

export const timeField: ConsoleField = {
  label: 'Time of day',
  help: 'A time without a day: 13:45.',
  width: 110,
  parse(typed, text) {
    if (typed === INCOMPLETE) throw new InputError(text('field.incomplete'));
    const time = timeWritten(typed);
    if (time === undefined) throw new InputError(text('field.not_time'));
    return time;
  },
  expected: (text) => text('field.not_time'),
  control: (props) => <TimeInput props={props} native="time" shown={/^\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/} />,
  hint: () => '13:45:00',
  separators: [';'],
};
