import { defaultRangeExtractor, type Range } from '@tanstack/react-virtual';

/** The rows in sight, and those that stay rendered wherever they are. */
export function renderedRows(range: Range, ...kept: readonly (number | undefined)[]): number[] {
  const others = kept.filter((row) => row !== undefined && row >= 0 && row < range.count);
  return [...new Set([...defaultRangeExtractor(range), ...(others as number[])])].sort((a, b) => a - b);
}
