/** The checks of a kind: conditions that every unit satisfies. */
import { TextInput } from '@mantine/core';
import type { KindCheck } from '../api/definitions.js';
import { useText } from '../i18n/text.js';
import { RowList } from './row-list.js';

interface ChecksProps {
  readonly checks: readonly KindCheck[];
  /** Of the list by `checks`, and of a field by its place, such as `checks[0].text`. */
  readonly faults: Readonly<Record<string, string>>;
  readonly onChange: (checks: readonly KindCheck[]) => void;
}

const INPUTS = [
  { name: 'id', flex: 1 },
  { name: 'filter', flex: 2 },
  { name: 'text', flex: 2 },
] as const;

export function Checks({ checks, faults, onChange }: ChecksProps) {
  const text = useText();
  return (
    <RowList
      label={text('model.checks_label')}
      description={text('model.checks_help')}
      rows={checks}
      error={faults['checks']}
      added={{ id: `check_${checks.length + 1}`, filter: '', text: '' }}
      hasLabels
      onChange={onChange}
    >
      {(check, onRow, number) =>
        INPUTS.map(({ name, flex }) => {
          const label = text(`model.check_${name}`);
          return (
            <TextInput
              key={name}
              flex={flex}
              label={number === 1 && label}
              aria-label={text('model.check_of', { name: label, number })}
              error={faults[`checks[${number - 1}].${name}`]}
              value={check[name]}
              onChange={({ currentTarget: { value } }) => onRow({ ...check, [name]: value })}
            />
          );
        })
      }
    </RowList>
  );
}
