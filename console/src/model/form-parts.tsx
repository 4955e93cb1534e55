/** What the forms of all definitions have. */
import { Alert, Anchor, Button, Fieldset, Group, Stack, Text as Paragraph, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useText } from '../i18n/text.js';
import { useRights } from '../shell/use-rights.js';
import type { DefinitionKind } from '../api/definitions.js';
import { useLockedModel } from './use-locked-model.js';
import { isBuiltInId } from './use-model.js';

/** A fault of the whole form; nothing if there is none. */
export function FormFault({ fault }: { fault: string | undefined }) {
  if (fault === undefined) return null;
  return (
    <Alert color="red" role="alert" style={{ whiteSpace: 'pre-line' }}>
      {fault}
    </Alert>
  );
}

/** Why the member may not write definitions of a type; undefined for what it may. */
export function useDefinitionRefusals(of: DefinitionKind) {
  const text = useText();
  const { to } = useRights();
  const isLocked = useLockedModel();
  const refusalOf = (operation: 'create' | 'update' | 'delete', reason: string) => {
    if (isLocked) return text('model.locked');
    return to(operation, of) === 'none' ? reason : undefined;
  };
  return {
    create: refusalOf('create', text('rights.new_definition')),
    update: refusalOf('update', text('rights.change_definition')),
    delete: refusalOf('delete', text('rights.delete_definition')),
  };
}

/** A form that can be filled in unless it would be refused: then it says why, and shows what there is. */
export function MayWrite({ refusal, children }: { refusal: string | undefined; children: ReactNode }) {
  return (
    <>
      {refusal !== undefined && (
        <Paragraph size="sm" mb="md">
          {refusal}
        </Paragraph>
      )}
      <Fieldset variant="unstyled" disabled={refusal !== undefined}>
        <Stack>{children}</Stack>
      </Fieldset>
    </>
  );
}

interface IdInputProps {
  /** What the id is made from. */
  readonly name: string;
  /** Empty if none can be made. */
  readonly value: string;
  readonly fault: string | undefined;
  readonly size?: 'xs' | 'sm';
  readonly help?: string;
  /** Undefined if it is empty: then the id of a new definition follows the name. */
  readonly onChange: (id: string | undefined) => void;
}

/** The id of a definition. */
export function IdInput({ name, value, fault, size = 'sm', help, onChange }: IdInputProps) {
  const text = useText();
  const isMissing = value === '' && name !== '';
  return (
    <TextInput
      size={size}
      label={text('model.id')}
      description={help ?? text('model.id_help')}
      value={value}
      error={isMissing ? text('model.no_id') : fault}
      spellCheck={false}
      onChange={({ currentTarget: { value: typed } }) => onChange(typed === '' ? undefined : typed)}
    />
  );
}

/** The id of a definition, which cannot be changed here. */
export function FixedId({ id, why }: { id: string; why?: string }) {
  const text = useText();
  return <Fixed name={text('model.id')} value={<code>{id}</code>} why={why} />;
}

interface StoredIdProps extends Pick<IdInputProps, 'value' | 'fault'> {
  readonly id: string;
  readonly help: string;
  readonly onChange: (id: string) => void;
}

/** The id of a definition that is stored, and may get another one. */
export function StoredId({ id, value, fault, help, onChange }: StoredIdProps) {
  const text = useText();
  if (isBuiltInId(id))
    return <Fixed name={text('model.id')} value={<code>{id}</code>} why={text('model.built_in_id')} />;
  return <IdInput name={id} value={value} fault={fault} help={help} onChange={(typed = '') => onChange(typed)} />;
}

/** Something of a definition that cannot be changed. */
export function Fixed({ name, value, why }: { name: string; value: ReactNode; why: string | undefined }) {
  return (
    <div>
      <Paragraph size="sm">
        {name}: {value}
      </Paragraph>
      {why !== undefined && (
        <Paragraph size="xs" c="dimmed">
          {why}
        </Paragraph>
      )}
    </div>
  );
}

/** Ends a form. */
export function ReviewButtons({ isBusy, isChanged }: { isBusy: boolean; isChanged: boolean }) {
  const text = useText();
  return (
    <Group className="form-end">
      <Button type="submit" loading={isBusy} disabled={!isChanged}>
        {text('model.review')}
      </Button>
      <Anchor component={Link} to="/model" size="sm">
        {text('app.cancel')}
      </Anchor>
    </Group>
  );
}
