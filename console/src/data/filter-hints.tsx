/** What stands in a filter and can match nothing: values that a parameter never has, and wrong quotes. */
import { Text as Paragraph } from '@mantine/core';
import { parseFilter } from '../../../src/filter/filter.parser.js';
import { filterHints, type FilterHint } from '../../../src/filter/filter.hints.js';
import type { Field } from '../api/types.js';

interface FilterHintsProps {
  readonly fields: readonly Field[];
  readonly filter: string;
}

export function FilterHints({ fields, filter }: FilterHintsProps) {
  const hints = hintsOf(filter, fields);
  if (hints.length === 0) return null;
  return (
    <div role="status">
      {hints.map(({ text }, at) => (
        <Paragraph key={`${at} ${text}`} size="xs">
          {text}
        </Paragraph>
      ))}
    </div>
  );
}

/** None for a filter with faults, which the answer tells. */
export function hintsOf(filter: string, fields: readonly Field[]): readonly FilterHint[] {
  try {
    return filterHints(parseFilter(filter), ([name, ...others]) => {
      const field = others.length === 0 ? fields.find(({ id }) => id === name) : undefined;
      return field && { values: field.values as readonly (string | number)[] | null, multiple: field.multiple };
    });
  } catch {
    return [];
  }
}
