/** What a chart shows: each choice changes it at once, the filter with Enter. */
import { Button, Group, NativeSelect, TextInput } from '@mantine/core';
import { lazy, Suspense, useState, type FormEvent } from 'react';
import type { Field } from '../api/types.js';
import type { Period } from '../fields/console-field.js';
import { fieldOfType } from '../fields/fields.js';
import { useText } from '../i18n/text.js';
import {
  CELLS,
  FORMS,
  groupable,
  measurable,
  MEASURES,
  placeFields,
  stepsOf,
  type Chart,
  type Form,
  type Measure,
} from './chart-query.js';

const FilterHints = lazy(async () => ({ default: (await import('../data/filter-hints.js')).FilterHints }));

interface ChartFormProps {
  readonly chart: Chart;
  readonly fields: readonly Field[];
  readonly onChange: (next: Partial<Chart>) => void;
}

interface Option {
  readonly value: string;
  readonly label: string;
}

export function ChartForm({ chart, fields, onChange }: ChartFormProps) {
  const text = useText();
  const [filter, setFilter] = useState(chart.filter);
  const ofField = ({ id, label }: Field): Option => ({ value: id, label });
  const isMap = chart.as === 'map';
  const measures = MEASURES.filter((measure) => measure === 'count' || measurable(fields, measure).length > 0);
  const forms = FORMS.filter((form) => form !== 'map' || placeFields(fields));
  const by = fields.find(({ id }) => id === chart.by);
  const steps = by ? stepsOf(by) : [];
  const groups = groupable(fields);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onChange({ filter: filter.trim() });
  };
  const chooseMeasure = (measure: Measure): void => {
    const allowed = measurable(fields, measure);
    const of = allowed.some(({ id }) => id === chart.of) ? chart.of : (allowed[0]?.id ?? '');
    onChange({ measure, of });
  };
  return (
    <form onSubmit={submit}>
      <Group gap="xs" align="end" wrap="wrap">
        <Choice
          label={text('charts.measure')}
          value={chart.measure}
          options={measures.map((value) => ({ value, label: text(`charts.${value}`) }))}
          onChoose={(value) => chooseMeasure(value as Measure)}
        />
        {chart.measure !== 'count' && (
          <Choice
            label={text('charts.of')}
            value={chart.of}
            options={measurable(fields, chart.measure).map(ofField)}
            onChoose={(of) => onChange({ of })}
          />
        )}
        {isMap ? (
          <Choice
            label={text('charts.cell')}
            value={chart.cell}
            options={CELLS.map((value) => ({ value, label: text('charts.degrees', { smart_count: Number(value) }) }))}
            onChoose={(cell) => onChange({ cell })}
          />
        ) : (
          <>
            <Choice
              label={text('charts.by')}
              value={chart.by}
              options={[{ value: '', label: text('charts.all') }, ...groups.map(ofField)]}
              onChoose={(id) => onChange({ by: id, step: '' })}
            />
            {steps.length > 0 && (
              <Choice
                label={text('charts.step')}
                value={chart.step}
                options={[
                  ...(by && fieldOfType(by.type).time?.first === undefined
                    ? [{ value: '', label: text('charts.step_value') }]
                    : []),
                  ...steps.map((value) => ({ value, label: text(`charts.${value}`) })),
                ]}
                onChoose={(step) => onChange({ step: step as Period | '' })}
              />
            )}
            <Choice
              label={text('charts.split')}
              value={chart.split}
              options={[
                { value: '', label: text('charts.not_split') },
                ...groups.filter(({ id }) => id !== chart.by).map(ofField),
              ]}
              onChoose={(split) => onChange({ split })}
            />
          </>
        )}
        <Choice
          label={text('charts.as')}
          value={chart.as}
          options={forms.map((value) => ({ value, label: text(`charts.${value}`) }))}
          onChoose={(as) => onChange({ as: as as Form })}
        />
        <TextInput
          size="xs"
          flex={1}
          miw={180}
          label={text('charts.filter')}
          placeholder={text('grid.filter_hint')}
          value={filter}
          spellCheck={false}
          onChange={(event) => setFilter(event.currentTarget.value)}
        />
        <Button size="xs" type="submit" variant="default">
          {text('charts.apply')}
        </Button>
      </Group>
      {chart.filter !== '' && (
        <Suspense>
          <FilterHints fields={fields} filter={chart.filter} />
        </Suspense>
      )}
    </form>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly Option[];
  readonly onChoose: (value: string) => void;
}

function Choice({ label, value, options, onChoose }: ChoiceProps) {
  return (
    <NativeSelect
      size="xs"
      label={label}
      value={value}
      data={[...options]}
      onChange={(event) => onChoose(event.currentTarget.value)}
    />
  );
}
