/** The fields of a unit: in a form as far as the member may set them, and as values otherwise. */
import { Alert } from '@mantine/core';
import { useState } from 'react';
import type { Field } from '../api/types.js';
import { ETAG, type ReadUnit } from '../api/units.js';
import { useText } from '../i18n/text.js';
import type { Change } from '../live/changes.js';
import { Empty, Waiting } from '../shell/page-states.js';
import { useRights } from '../shell/use-rights.js';
import type { FieldErrors } from './faults.js';
import { ChangeOfForm, ShowChange } from './unit-change.js';
import { TransitionButtons } from './transition-buttons.js';
import { useCan, withNextValues } from './use-can.js';
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
  /** What has changed in it elsewhere, and how it is shown. */
  readonly change: Change | undefined;
  readonly onShow: () => void;
}

/** What the member could do when this version of the unit was first shown. */
interface Opened {
  readonly version: string | null | undefined;
  readonly isRefused: boolean;
  readonly fixed: ReadonlySet<string>;
}

export function UnitContent({ kind, fields, unit, isNew, onSave, change, onShow }: UnitContentProps) {
  const text = useText();
  const { readOnly } = useRights();
  const ofKind = useRefusal()(isNew ? 'create' : 'update', [kind]);
  const { can, isLoading } = useCan(kind, isNew ? undefined : unit, fields);
  const refusal = ofKind ?? (can?.update === false ? text('rights.no_update_unit') : undefined);
  // Who may do less than when the version was opened keeps the form, with what is typed.
  const [first, setFirst] = useState<Opened>();
  const version = unit?.[ETAG];
  if (!isLoading && (!first || first.version !== version))
    setFirst({ version, isRefused: refusal !== undefined, fixed: readOnly(kind) });
  if (!first) return <Waiting />;
  const settable = first.isRefused ? [] : fields.filter(({ id }) => !first.fixed.has(id));
  const others = fields.filter((field) => !settable.includes(field));
  const offered = settable.map((field) => (unit && !isNew ? withNextValues(field, unit, can) : field));
  if (isNew && first.isRefused) return <Empty>{refusal}</Empty>;
  const hasForm = settable.length > 0 || isNew;
  return (
    <>
      {change && !hasForm && <ShowChange onShow={onShow} />}
      {refusal !== undefined && !first.isRefused && (
        <Alert color="yellow" role="alert">
          {refusal}
        </Alert>
      )}
      {hasForm && (
        <UnitForm
          key={unit?.[ETAG] ?? 'new'}
          fields={offered}
          unit={unit}
          isNew={isNew}
          hint={<ChangeOfForm change={change} onShow={onShow} />}
          onSave={onSave}
        >
          {unit && !isNew && <TransitionButtons fields={settable} unit={unit} can={can} onSave={onSave} />}
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
