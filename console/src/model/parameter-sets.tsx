/** Lists of parameters, such as those that are unique together. */
import { MultiSelect } from '@mantine/core';
import { useText } from '../i18n/text.js';
import { RowList } from './row-list.js';

interface ParameterSetsProps {
  readonly label: string;
  readonly description: string;
  readonly sets: readonly (readonly string[])[];
  /** The parameters of the kind. */
  readonly parameters: readonly { readonly value: string; readonly label: string }[];
  readonly error: string | undefined;
  readonly onChange: (sets: readonly (readonly string[])[]) => void;
}

export function ParameterSets({ label, description, sets, parameters, error, onChange }: ParameterSetsProps) {
  const text = useText();
  return (
    <RowList
      label={label}
      description={description}
      rows={sets}
      error={error}
      added={parameters.length === 0 ? undefined : []}
      onChange={onChange}
    >
      {(set, onRow, number) => (
        <MultiSelect
          flex={1}
          aria-label={text('model.set_of', { name: label, number })}
          data={[
            ...parameters,
            ...set
              .filter((id) => !parameters.some(({ value }) => value === id))
              .map((id) => ({ value: id, label: id })),
          ]}
          value={[...set]}
          onChange={onRow}
        />
      )}
    </RowList>
  );
}
