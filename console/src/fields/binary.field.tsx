import { Textarea } from '@mantine/core';
import { LIMITS } from '../../../src/shared/limits.js';
import { typing, type ConsoleField } from './console-field.js';

/** Values are Base64. */
export const binaryField: ConsoleField = {
  label: 'Bytes',
  help: 'A small file, as Base64.',
  width: 120,
  show: (value, text) => text('grid.bytes', { smart_count: sizeOf(value as string) }),
  check(value, { max_length: most }, text) {
    const bytes = typeof value === 'string' ? byteCount(value) : undefined;
    if (bytes === undefined) return text('field.not_base64');
    const limit = most ?? LIMITS.binaryBytes;
    return bytes > limit ? text('field.too_many_bytes', { smart_count: limit }) : undefined;
  },
  control: (props) => <Textarea {...typing(props)} minRows={2} maxRows={8} autosize />,
  hint: (text) => text('field.binary_hint'),
  asJson: 'lists',
};

/** Without decoding it, for the many cells of a grid. */
function sizeOf(base64: string): number {
  const padding = /=*$/.exec(base64)?.[0].length ?? 0;
  return Math.max(0, Math.floor((base64.length * 3) / 4) - padding);
}

/** Undefined if the text is no Base64. */
function byteCount(base64: string): number | undefined {
  try {
    const bytes = atob(base64);
    return btoa(bytes) === base64 ? bytes.length : undefined;
  } catch {
    return undefined;
  }
}
