/** The checks of a kind: conditions that every unit satisfies. */
import { TextInput } from '@mantine/core';
import type { KindCheck } from '../api/definitions.js';
import { useText } from '../i18n/text.js';
import { RowList } from './row-list.js';

interface ChecksProps {
  readonly checks: readonly KindCheck[];
  readonly error: string | undefined;
  readonly onChange: (checks: readonly KindCheck[]) => void;
}

const INPUTS = [
  { name: 'id', flex: 1 },
  { name: 'filter', flex: 2 },
  { name: 'text', flex: 2 },
] as const;

export function Checks({ checks, error, onChange }: ChecksProps) {
  const text = useText();
  return (
    <RowList
      label={text('model.checks_label')}
      description={text('model.checks_help')}
      rows={checks}
      error={error}
      added={{ id: `check_${checks.length + 1}`, filter: '', text: '' }}
      onChange={onChange}
    >
      {(check, onRow, number) =>
        INPUTS.map(({ name, flex }) => (
          <TextInput
            key={name}
            flex={flex}
            placeholder={text(`model.check_${name}`)}
            aria-label={text('model.check_of', { name: text(`model.check_${name}`), number })}
            value={check[name]}
            onChange={({ currentTarget: { value } }) => onRow({ ...check, [name]: value })}
          />
        ))
      }
    </RowList>
  );
}
