import { INCOMPLETE, InputError, type ConsoleField } from './console-field.js';

/** The field says where a reference leads (`reference_kind`): from that follow its control and its link. */
export const unitField: ConsoleField = {
  label: 'Reference',
  help: 'Leads to one unit of another kind, such as the customer of an order.',
  width: 180,
  parse: (typed, text) => {
    // A file that is still being sent.
    if (typed === INCOMPLETE) throw new InputError(text('files.incomplete'));
    return typed;
  },
  check: () => undefined,
  groups: 'single',
};
