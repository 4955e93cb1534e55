import type { ConsoleField } from './console-field.js';

/** The field says where a reference leads (`reference_kind`): from that follow its control and its link. */
export const unitField: ConsoleField = {
  label: 'Reference',
  help: 'Leads to one unit of another kind, such as the customer of an order.',
  width: 180,
  check: () => undefined,
  groups: 'single',
};
