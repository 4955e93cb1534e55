/** Values of a unit that the member may read, and not change. */
import { Anchor, Text as Paragraph } from '@mantine/core';
import { useMemo } from 'react';
import { Link } from 'react-router';
import { FILE_KIND } from '../../../src/model/built-in-traits.js';
import type { Field, Unit } from '../api/types.js';
import { FileThumb } from '../files/file-thumb.js';
import { shownValue } from '../fields/values.js';
import { useText } from '../i18n/text.js';
import { addressOf } from './grid-row.js';
import { labelKey, useReferenceLabels } from './reference-labels.js';
import { useIsFiles } from './use-files.js';

export function UnitValues({ fields, unit, note }: { fields: readonly Field[]; unit: Unit; note: string }) {
  const text = useText();
  const isFiles = useIsFiles(FILE_KIND);
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
                    {kind === FILE_KIND && isFiles && <FileThumb id={value} size="line" />}
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
