/** The transitions of a parameter: from which value to which, and for whom. */
import { Select, Textarea } from '@mantine/core';
import { useText } from '../i18n/text.js';
import { RowList } from './row-list.js';
import { INITIAL, rowOf, textOfRow } from './transition-rows.js';

interface TransitionsProps {
  readonly label: string;
  readonly description: string;
  readonly error: string | undefined;
  /** The allowed values of the parameter. */
  readonly values: readonly string[];
  readonly rows: readonly string[];
  readonly onChange: (rows: readonly string[]) => void;
}

export function Transitions({ label, description, error, values, rows, onChange }: TransitionsProps) {
  const text = useText();
  const inputOf = (name: 'from' | 'to' | 'when', number: number) => {
    const shown = text(`model.transition_${name}`);
    return { label: number === 1 && shown, 'aria-label': text('model.transition_of', { name: shown, number }) };
  };
  return (
    <RowList
      label={label}
      description={description}
      rows={rows}
      error={error}
      added={values.length === 0 ? undefined : textOfRow({ from: rowOf(rows.at(-1) ?? FIRST).from, to: '', when: '' })}
      hasLabels
      onChange={onChange}
    >
      {(given, onRow, number) => {
        const row = rowOf(given);
        const change = (values: Partial<typeof row>) => onRow(textOfRow({ ...row, ...values }));
        return (
          <>
            <Select
              {...inputOf('from', number)}
              flex={2}
              allowDeselect={false}
              data={[
                { value: INITIAL, label: text('model.transition_initial') },
                ...withValue(values, row.from === INITIAL ? '' : row.from),
              ]}
              value={row.from}
              onChange={(from) => change({ from: from ?? '' })}
            />
            <Select
              {...inputOf('to', number)}
              flex={2}
              clearable
              placeholder={text('model.transition_nowhere')}
              data={withValue(values, row.to)}
              value={row.to === '' ? null : row.to}
              onChange={(to) => change({ to: to ?? '' })}
            />
            <Textarea
              {...inputOf('when', number)}
              flex={3}
              autosize
              spellCheck={false}
              placeholder={text('model.transition_everybody')}
              value={row.when}
              onChange={({ currentTarget: { value: when } }) => change({ when })}
            />
          </>
        );
      }}
    </RowList>
  );
}

/** Begins a list. */
const FIRST = textOfRow({ from: INITIAL, to: '', when: '' });

/** A value that is none any more is shown, too. */
function withValue(values: readonly string[], value: string): string[] {
  return value === '' || values.includes(value) ? [...values] : [...values, value];
}
