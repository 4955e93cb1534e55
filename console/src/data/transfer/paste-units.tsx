/** Creates units from a table that was copied in a spreadsheet, after it has shown what they would be. */
import { Alert, Button, Checkbox, Group, Modal, Stack, Textarea, Text as Paragraph } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNotify } from 'ra-core';
import { useMemo, useState } from 'react';
import { ApiError } from '../../api/errors.js';
import type { Field, Message } from '../../api/types.js';
import { createUnits, MOST_UNITS } from '../../api/units.js';
import { importUnits } from '../../api/transfer.js';
import { InputError } from '../../fields/console-field.js';
import { fieldOfType } from '../../fields/fields.js';
import { shownValue } from '../../fields/values.js';
import { useText, type Text } from '../../i18n/text.js';
import { useFaultFocus } from '../../shell/use-fault-focus.js';
import { labelsOf, nameIn, textAlone, textAt, type Labels } from '../faults.js';
import { isEditable, UNITS } from '../source.js';
import { PreviewTable } from './preview-table.js';
import { isReference, useReferenceIds, type ReferenceIds } from './reference-cells.js';
import { fieldsNamed, pastedValue, readTable } from './table.js';

export interface PasteUnitsProps {
  readonly kind: string;
  /** The columns in sight, in their order. */
  readonly fields: readonly Field[];
  readonly pasted: string;
  readonly onClose: () => void;
}

/** By row and column. */
type Cells = ReadonlyMap<string, string>;

const cellKey = (row: number, column: number): string => `${row} ${column}`;

export function PasteUnits({ kind, fields: all, pasted, onClose }: PasteUnitsProps) {
  const text = useText();
  const notify = useNotify();
  const queries = useQueryClient();
  const fields = useMemo(() => all.filter(isEditable), [all]);
  const [typed, setTyped] = useState(pasted);
  const rows = useMemo(() => rowsOf(typed), [typed]);
  const named = useMemo(() => fieldsNamed(rows[0] ?? [], fields), [rows, fields]);
  const [chosenHead, setChosenHead] = useState<boolean>();
  const hasHead = chosenHead ?? named.some((field) => field !== undefined);
  const [mapping, setMapping] = useState<ReadonlyMap<number, string>>(new Map());
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const columns = Array.from({ length: width }, (_, at) => {
    const id = mapping.get(at) ?? (hasHead ? named[at] : fields[at])?.id;
    return fields.find((field) => field.id === id);
  });
  const records = hasHead ? rows.slice(1) : rows;
  const labels = useMemo(() => labelsOf(fields), [fields]);
  const [refused, setRefused] = useState<readonly Message[]>([]);
  const references = useReferenceIds(columns, records);
  const { units, faults, meant } = unitsOf(records, columns, references, text);
  const shownFaults = new Map([...faults, ...refusedCells(refused, columns, labels, text)]);
  const elsewhere = refused.filter((message) => !cellOf(message, columns));
  const place = useFaultFocus(refused.length > 0 ? refused : undefined);
  const twice = columns.filter((field, at) => field && columns.indexOf(field) < at);
  const change =
    <T,>(set: (value: T) => void) =>
    (value: T) => {
      setRefused([]);
      set(value);
    };

  const creation = useMutation({
    mutationFn: async () => {
      if (units.length <= MOST_UNITS) return createUnits(kind, units);
      const lines = new Blob(units.flatMap((unit) => [JSON.stringify(unit), '\n']));
      const options = {
        format: 'ndjson',
        errors: 'stop',
        keepsIds: false,
        updatesBy: undefined,
        dryRun: false,
      } as const;
      const progress = { onProgress: () => undefined, signal: new AbortController().signal };
      return (await importUnits(kind, lines, options, progress)).created;
    },
    onSuccess: async (count) => {
      notify(text('paste.done', { smart_count: count }), { type: 'success' });
      onClose();
      await queries.invalidateQueries({ queryKey: [UNITS] });
    },
    onError: (error) => {
      const message = { code: '', text: error.message };
      setRefused(error instanceof ApiError ? error.messages : [message]);
    },
  });

  return (
    <Modal opened onClose={onClose} title={text('paste.title')} size="xl">
      <Stack ref={place}>
        <Textarea
          label={text('paste.text')}
          description={text('paste.hint')}
          value={typed}
          minRows={2}
          maxRows={6}
          autosize
          spellCheck={false}
          data-autofocus
          onChange={({ currentTarget }) => change(setTyped)(currentTarget.value)}
        />
        {rows.length > 0 && (
          <>
            <Checkbox
              label={text('paste.head')}
              checked={hasHead}
              onChange={({ currentTarget }) => change(setChosenHead)(currentTarget.checked)}
            />
            <PreviewTable
              head={hasHead ? (rows[0] ?? []) : []}
              rows={records}
              columns={columns}
              fields={fields}
              faultOf={(row, column) => shownFaults.get(cellKey(row, column))}
              readAs={(row, column) => meant.get(cellKey(row, column))}
              faultyRows={[...new Set([...shownFaults.keys()].map((key) => Number.parseInt(key, 10)))]}
              onMap={(column, id) => change(setMapping)(new Map([...mapping, [column, id]]))}
            />
          </>
        )}
        {shownFaults.size > 0 && (
          <Paragraph size="sm" c="red" role="status">
            {text('paste.faults', { smart_count: shownFaults.size })}
          </Paragraph>
        )}
        {twice.length > 0 && (
          <Paragraph size="sm" c="red" role="status">
            {text('paste.twice', { name: twice[0]?.label ?? '' })}
          </Paragraph>
        )}
        {elsewhere.length > 0 && (
          <Alert color="red" role="alert" title={text('paste.refused')}>
            {elsewhere.slice(0, 20).map((message, at) => (
              <Paragraph key={at} size="sm">
                {textAlone(message.text, labels)}
              </Paragraph>
            ))}
          </Alert>
        )}
        <Group justify="end">
          <Button variant="default" onClick={onClose}>
            {text('app.cancel')}
          </Button>
          <Button
            disabled={
              references.isPending ||
              units.length === 0 ||
              faults.size > 0 ||
              twice.length > 0 ||
              columns.every((field) => !field)
            }
            loading={creation.isPending}
            onClick={() => creation.mutate()}
          >
            {text('paste.create', { smart_count: records.length })}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** The rows that have something in them. */
function rowsOf(typed: string): readonly (readonly string[])[] {
  return readTable(typed, '\t')
    .rows.map((row) => row.map((cell) => cell ?? ''))
    .filter((row) => row.some((cell) => cell !== ''));
}

interface Read {
  readonly units: readonly object[];
  readonly faults: Cells;
  /** How cells were read whose values are shown otherwise. */
  readonly meant: Cells;
}

function unitsOf(
  rows: readonly (readonly string[])[],
  columns: readonly (Field | undefined)[],
  references: ReferenceIds,
  text: Text,
): Read {
  const faults = new Map<string, string>();
  const meant = new Map<string, string>();
  const units = rows.map((row, at) => {
    const unit: Record<string, unknown> = {};
    columns.forEach((field, column) => {
      if (!field) return;
      try {
        const cell = (row[column] ?? '').trim();
        const value = pastedValue(field, row[column] ?? '', text);
        if (value === undefined) return;
        unit[field.id] = referred(field, value, references, text);
        const shown = isFormatted(field) ? shownValue(field, value, text) : cell;
        if (shown !== cell) meant.set(cellKey(at, column), shown);
      } catch (error) {
        if (!(error instanceof InputError)) throw error;
        faults.set(cellKey(at, column), error.message);
      }
    });
    return unit;
  });
  return { units, faults, meant };
}

/** Whether a value is shown otherwise than it is stored, so that one can see how it was read. */
function isFormatted({ type, multiple }: Field): boolean {
  return !multiple && fieldOfType(type).isFormatted === true;
}

/** The id of the unit that a cell names. @throws InputError if there is none, or several */
function referred(field: Field, value: unknown, references: ReferenceIds, text: Text): unknown {
  if (!isReference(field) || typeof value !== 'string') return value;
  const found = references.find(field.reference_kind as string, value);
  if (!found) return value;
  if (found.id === undefined) throw new InputError(text('paste.no_unit', { name: value }));
  if (found.id === null) throw new InputError(text('paste.several_units', { name: value }));
  return found.id;
}

/** Row and column of a refusal; undefined if it is about none. */
function cellOf(
  { index, record, parameter = '' }: Message,
  columns: readonly (Field | undefined)[],
): string | undefined {
  const row = index ?? (record === undefined ? undefined : record - 1);
  const name = nameIn(parameter);
  const column = columns.findIndex((field) => field?.id === name);
  return row === undefined || column < 0 ? undefined : cellKey(row, column);
}

function refusedCells(
  messages: readonly Message[],
  columns: readonly (Field | undefined)[],
  labels: Labels,
  text: Text,
): Cells {
  return new Map(
    messages.flatMap((message) => {
      const cell = cellOf(message, columns);
      const { parameter = '' } = message;
      return cell === undefined ? [] : [[cell, textAt(nameIn(parameter), message.text, labels, text)] as const];
    }),
  );
}
