/** A field of a struct for tests. */
import type { Field } from '../src/api/types.js';

export function field(type: Field['type'], more: Partial<Field> = {}): Field {
  return {
    default: null,
    helper_text: null,
    required: false,
    multiple: false,
    min_length: null,
    max_length: null,
    values: null,
    id: 'a',
    label: 'A',
    type,
    ...more,
  };
}
