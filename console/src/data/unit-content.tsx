/** The fields of a unit: in a form as far as the member may set them, and as values otherwise. */
import { Alert } from '@mantine/core';
import { useState } from 'react';
import type { Field } from '../api/types.js';
import { ETAG, type ReadUnit } from '../api/units.js';
import { useText } from '../i18n/text.js';
import { Empty } from '../shell/page-states.js';
import { useRights } from '../shell/use-rights.js';
import type { FieldErrors } from './faults.js';
import { TransitionButtons } from './transition-buttons.js';
import { UnitForm } from './unit-form.js';
import { UnitValues } from './unit-values.js';
import { useRefusal } from './use-refusal.js';

interface UnitContentProps {
  readonly kind: string;
  readonly fields: readonly Field[];
  /** The unit, or that whose values a new one gets. */
  readonly unit: ReadUnit | undefined;
  readonly isNew: boolean;
  readonly onSave: (values: object) => Promise<FieldErrors | undefined>;
}

export function UnitContent({ kind, fields, unit, isNew, onSave }: UnitContentProps) {
  const text = useText();
  const { readOnly } = useRights();
  const refusal = useRefusal()(isNew ? 'create' : 'update', [kind]);
  // Who may do less than when the page was opened keeps the form, with what is typed.
  const [first] = useState({ isRefused: refusal !== undefined, fixed: readOnly(kind) });
  const settable = first.isRefused ? [] : fields.filter(({ id }) => !first.fixed.has(id));
  const others = fields.filter((field) => !settable.includes(field));
  if (isNew && first.isRefused) return <Empty>{refusal}</Empty>;
  return (
    <>
      {refusal !== undefined && !first.isRefused && (
        <Alert color="yellow" role="alert">
          {refusal}
        </Alert>
      )}
      {(settable.length > 0 || isNew) && (
        <UnitForm key={unit?.[ETAG] ?? 'new'} fields={settable} unit={unit} isNew={isNew} onSave={onSave}>
          {unit && !isNew && <TransitionButtons kind={kind} fields={settable} unit={unit} onSave={onSave} />}
        </UnitForm>
      )}
      {unit && !isNew && others.length > 0 && (
        <UnitValues
          fields={others}
          unit={unit}
          note={text(settable.length === 0 ? 'rights.read_only_unit' : 'rights.read_only')}
        />
      )}
    </>
  );
}
