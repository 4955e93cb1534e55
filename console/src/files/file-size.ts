/** Sizes as people write them, in the steps of the service. */
const STEP = 1024;
const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'];

export function sizeText(bytes: number): string {
  const power = bytes < STEP ? 0 : Math.min(Math.floor(Math.log(bytes) / Math.log(STEP)), UNITS.length - 1);
  const options = { style: 'unit', unit: UNITS[power] ?? 'byte', unitDisplay: power === 0 ? 'long' : 'short' } as const;
  return new Intl.NumberFormat(undefined, { ...options, maximumFractionDigits: 1 }).format(bytes / STEP ** power);
}
