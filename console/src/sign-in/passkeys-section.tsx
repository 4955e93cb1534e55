/** The passkeys of the member that is signed in: added, renamed, removed. */
import { Button, Group, Modal, Stack, Table, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNotify } from 'ra-core';
import { useState } from 'react';
import {
  deletePasskey,
  enrolPasskey,
  knowsPasskeys,
  listPasskeys,
  PasskeyError,
  renamePasskey,
  type Passkey,
} from '../api/passkeys.js';
import { session } from '../api/session.js';
import { getWays } from '../api/ways.js';
import { FIELD_OF_FORM, type FieldErrors } from '../data/faults.js';
import { RemovalDialog, useRemoval } from '../data/removal.js';
import { shownInstant } from '../fields/shown-time.js';
import { useText, type Text } from '../i18n/text.js';
import { ListSection } from '../members/list-section.js';
import { useCheckedForm } from '../members/use-checked-form.js';
import { FormFault } from '../model/form-parts.js';
import { ActionButton } from '../shell/action.js';
import { faultText, isCancelled } from '../shell/fault-text.js';
import { RowButton } from '../shell/row-button.js';
import { WideTable } from '../shell/wide-table.js';

export function PasskeysSection({ member }: { readonly member: string }) {
  const text = useText();
  const notify = useNotify();
  const queries = useQueryClient();
  const queryKey = ['passkeys', member];
  const { data, error, refetch } = useQuery({ queryKey, queryFn: () => listPasskeys(member), retry: false });
  const [renamed, setRenamed] = useState<Passkey>();
  const changed = async (message: string): Promise<void> => {
    setRenamed(undefined);
    notify(message, { type: 'success' });
    for (const key of [queryKey, ['second-step']]) await queries.invalidateQueries({ queryKey: key });
  };
  const removal = useRemoval<Passkey>(deletePasskey, () => changed(text('passkeys.removed')));
  return (
    <ListSection
      title={text('passkeys.title')}
      action={<AddPasskey size="xs" onAdded={() => changed(text('passkeys.made'))} />}
      error={error}
      onRetry={() => void refetch()}
      count={data?.length}
      none={text('passkeys.none')}
      table={<PasskeyTable passkeys={data ?? []} onRename={setRenamed} onRemove={removal.ask} />}
    >
      {renamed && (
        <LabelDialog
          title={text('passkeys.rename_title')}
          submit={text('passkeys.rename')}
          known={renamed.label}
          onSend={(label) => renamePasskey(renamed.id, label)}
          onDone={() => changed(text('passkeys.renamed'))}
          onClose={() => setRenamed(undefined)}
        />
      )}
      <RemovalDialog
        removal={removal}
        title={text('passkeys.remove_title', { name: nameOf(removal.asked, text) })}
        refusedTitle={text('passkeys.refused')}
        confirm={text('passkeys.remove')}
      >
        {text('passkeys.remove_text')}
      </RemovalDialog>
    </ListSection>
  );
}

interface AddPasskeyProps {
  readonly size?: 'xs';
  readonly onAdded: () => Promise<void>;
}

/** A button that is there also where none can be added, and says why. */
export function AddPasskey({ size, onAdded }: AddPasskeyProps) {
  const text = useText();
  const ways = useQuery({ queryKey: ['ways', session.project], queryFn: () => getWays(session.project) });
  const [isAdding, setAdding] = useState(false);
  return (
    <>
      <ActionButton
        {...(size && { size })}
        variant="default"
        reason={whyNot(ways.data?.passkey, text)}
        onClick={() => setAdding(true)}
      >
        {text('passkeys.new')}
      </ActionButton>
      {isAdding && (
        <LabelDialog
          title={text('passkeys.new')}
          submit={text('passkeys.create')}
          known=""
          onSend={enrolPasskey}
          onDone={() => {
            setAdding(false);
            return onAdded();
          }}
          onClose={() => setAdding(false)}
        />
      )}
    </>
  );
}

/** Why none can be added here; undefined if one can, or as long as it is not known. */
function whyNot(isSetUp: boolean | undefined, text: Text): string | undefined {
  if (isSetUp === false) return text('passkeys.not_set_up');
  return knowsPasskeys() ? undefined : text('passkeys.no_browser');
}

function nameOf(passkey: Passkey | undefined, text: Text): string {
  return passkey?.label || text('passkeys.nameless');
}

interface LabelDialogProps {
  readonly title: string;
  readonly submit: string;
  readonly known: string;
  /** @throws ApiError, PasskeyError */
  readonly onSend: (label: string) => Promise<void>;
  readonly onDone: () => Promise<void>;
  readonly onClose: () => void;
}

function LabelDialog({ title, submit, known, onSend, onDone, onClose }: LabelDialogProps) {
  const text = useText();
  const [label, setLabel] = useState(known);
  const { form, faults, isBusy, onSubmit } = useCheckedForm({
    check: () => ({ ...(label.trim() === '' && { label: text('field.required') }) }),
    fields: [{ id: 'label', label: text('passkeys.label') }],
    send: async () => {
      await onSend(label.trim());
      await onDone();
    },
    faultsOfError: (error): FieldErrors | undefined => {
      if (isCancelled(error)) return {};
      return error instanceof PasskeyError ? { [FIELD_OF_FORM]: faultText(error, text) } : undefined;
    },
  });
  return (
    <Modal opened onClose={onClose} title={title} closeOnClickOutside={false}>
      <form onSubmit={onSubmit} noValidate ref={form}>
        <Stack>
          <FormFault fault={faults[FIELD_OF_FORM]} />
          <TextInput
            label={text('passkeys.label')}
            description={text('passkeys.label_help')}
            value={label}
            error={faults['label']}
            aria-invalid={faults['label'] !== undefined}
            onChange={({ currentTarget }) => setLabel(currentTarget.value)}
            data-autofocus
          />
          <Group justify="end">
            <Button variant="default" onClick={onClose}>
              {text('app.cancel')}
            </Button>
            <Button type="submit" loading={isBusy}>
              {submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

interface PasskeyTableProps {
  readonly passkeys: readonly Passkey[];
  readonly onRename: (passkey: Passkey) => void;
  readonly onRemove: (passkey: Passkey) => void;
}

function PasskeyTable({ passkeys, onRename, onRemove }: PasskeyTableProps) {
  const text = useText();
  return (
    <WideTable minWidth={560} label={text('passkeys.title')}>
      <Table.Thead>
        <Table.Tr>
          {(['label', 'made_at', 'last_used_at', 'backed_up'] as const).map((name) => (
            <Table.Th key={name}>{text(`passkeys.${name}`)}</Table.Th>
          ))}
          <Table.Td />
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {passkeys.map((passkey) => (
          <Table.Tr key={passkey.id}>
            <Table.Td className="text-of-tenant">{nameOf(passkey, text)}</Table.Td>
            <Table.Td>{shownInstant(passkey.inserted_at)}</Table.Td>
            <Table.Td>
              {passkey.last_used_at === null ? text('passkeys.unused') : shownInstant(passkey.last_used_at)}
            </Table.Td>
            <Table.Td>{text(passkey.backed_up ? 'passkeys.yes' : 'passkeys.no')}</Table.Td>
            <Table.Td>
              <Group gap="xs" wrap="nowrap">
                <RowButton
                  label={text('passkeys.rename_of', { name: nameOf(passkey, text) })}
                  onClick={() => onRename(passkey)}
                >
                  {text('passkeys.rename')}
                </RowButton>
                <RowButton
                  removes
                  label={text('passkeys.remove_of', { name: nameOf(passkey, text) })}
                  onClick={() => onRemove(passkey)}
                >
                  {text('passkeys.remove')}
                </RowButton>
              </Group>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  );
}
