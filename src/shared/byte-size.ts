/** A number of bytes as text for people, in the form in which sizes are set: `500mb`, `1.5gb`. */

const UNITS = ['b', 'kb', 'mb', 'gb', 'tb'] as const;
const STEP = 1024;

/** With at most one decimal. */
export function byteSizeText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= STEP && unit < UNITS.length - 1) {
    value /= STEP;
    unit += 1;
  }
  return `${Math.round(value * 10) / 10}${UNITS[unit]}`;
}
