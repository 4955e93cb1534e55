/** Values of a unit that the member may read, and not change. */
import { Anchor, Text as Paragraph } from '@mantine/core';
import { useMemo } from 'react';
import { Link } from 'react-router';
import type { Field, Unit } from '../api/types.js';
import { shownValue } from '../fields/values.js';
import { useText } from '../i18n/text.js';
import { addressOf } from './grid-row.js';
import { labelKey, useReferenceLabels } from './reference-labels.js';

export function UnitValues({ fields, unit, note }: { fields: readonly Field[]; unit: Unit; note: string }) {
  const text = useText();
  const pages = useMemo(() => [{ count: 1, items: [unit] }], [unit]);
  const labels = useReferenceLabels(fields, pages);
  return (
    <section aria-label={note}>
      <Paragraph size="sm">{note}</Paragraph>
      <dl className="unit-values">
        {fields.map((field) => {
          const value = unit[field.id];
          const kind = field.reference_kind ?? undefined;
          return (
            <div key={field.id}>
              <dt>{field.label}</dt>
              <dd className="text-of-tenant">
                {kind !== undefined && typeof value === 'string' ? (
                  <Anchor component={Link} to={addressOf(kind, value)}>
                    {labels.get(labelKey(kind, value)) ?? value}
                  </Anchor>
                ) : (
                  shownValue(field, value, text) || '–'
                )}
              </dd>
            </div>
          );
        })}
      </dl>
    </section>
  );
}
