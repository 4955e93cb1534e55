/** Imports a file: preview, names of columns, a trial, progress, and what is wrong in which record. */
import {
  Alert,
  Button,
  FileInput,
  Group,
  Modal,
  Progress,
  Select,
  Stack,
  Switch,
  Text as Paragraph,
} from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { PARAMETER_TYPES } from '../../../../src/model/parameter-type/type-by-id.js';
import { ApiError } from '../../api/errors.js';
import type { Field, Message } from '../../api/types.js';
import { importUnits, type ImportResult } from '../../api/transfer.js';
import { writtenFault } from '../../fields/typed-value.js';
import { useText, type Text } from '../../i18n/text.js';
import { ID, isEditable, UNITS } from '../source.js';
import { FileFault, initialMapping, readFile, withNames, type ImportFile } from './import-file.js';
import { ImportFaults } from './import-faults.js';
import { PreviewTable } from './preview-table.js';
import type { Cell } from './table.js';

export interface ImportUnitsProps {
  readonly kind: string;
  readonly fields: readonly Field[];
  readonly onClose: () => void;
}

interface Outcome {
  readonly result: ImportResult;
  readonly dryRun: boolean;
}

export function ImportUnits({ kind, fields: all, onClose }: ImportUnitsProps) {
  const text = useText();
  const queries = useQueryClient();
  const [file, setFile] = useState<ImportFile>();
  const [fileFault, setFileFault] = useState<string>();
  const [names, setNames] = useState<readonly string[]>([]);
  const [skips, setSkips] = useState(false);
  const [updatesBy, setUpdatesBy] = useState<string | null>(null);
  const [sent, setSent] = useState(0);
  const stopper = useRef<AbortController>(undefined);
  // Nothing goes on behind a closed dialog.
  useEffect(() => () => stopper.current?.abort(), []);
  const fields = [ID, ...all.filter(isEditable)];
  const keys = all.filter(
    ({ id, type, multiple }) => !multiple && names.includes(id) && PARAMETER_TYPES.get(type)?.sortable !== false,
  );
  const keepsIds = names.includes(ID.id);
  const faults = file?.format === 'csv' ? faultsOf(file, names, fields, text) : NO_FAULTS;
  const run = useMutation({
    mutationFn: async ({ dryRun, from }: { dryRun: boolean; from: ImportFile }): Promise<Outcome> => {
      stopper.current = new AbortController();
      setSent(0);
      const options = {
        format: from.format,
        errors: skips ? ('skip' as const) : ('stop' as const),
        keepsIds,
        updatesBy: updatesBy ?? undefined,
        dryRun,
      };
      const { signal } = stopper.current;
      const result = await importUnits(kind, withNames(from, names), options, { onProgress: setSent, signal });
      return { result, dryRun };
    },
    onSuccess: async ({ dryRun }) => {
      if (!dryRun) await queries.invalidateQueries({ queryKey: [UNITS] });
    },
  });
  const choose = async (chosen: File | null): Promise<void> => {
    run.reset();
    setFile(undefined);
    setFileFault(undefined);
    if (!chosen) return;
    try {
      const read = await readFile(chosen);
      setFile(read);
      setNames(initialMapping(read, fields));
    } catch (error) {
      if (!(error instanceof FileFault)) throw error;
      setFileFault(text(`import.fault_${error.reason}`));
    }
  };
  const start = (dryRun: boolean): void => {
    if (file) run.mutate({ dryRun, from: file });
  };
  const isDone = run.data !== undefined && !run.data.dryRun;
  const isStopped = run.error?.name === 'AbortError';
  const refused: readonly Message[] = run.error instanceof ApiError ? run.error.messages : [];
  const isForeign = run.error !== null && !(run.error instanceof ApiError) && !isStopped;

  return (
    <Modal opened onClose={onClose} title={text('import.title')} size="xl" closeOnClickOutside={!run.isPending}>
      <Stack>
        <FileInput
          label={text('import.file')}
          placeholder={text('import.choose')}
          description={text('import.formats')}
          accept=".csv,.json,.ndjson,.jsonl"
          error={fileFault}
          clearable
          clearButtonProps={{ 'aria-label': text('import.clear') }}
          disabled={run.isPending}
          onChange={(chosen) => void choose(chosen)}
        />
        {file && (
          <PreviewTable
            head={file.names}
            rows={file.rows}
            columns={names.map((name) => fields.find(({ id }) => id === name))}
            fields={fields}
            faultOf={(row, column) => faults.get(`${row} ${column}`)}
            readAs={(row, column) => emptyAs(file.rows[row]?.[column], text)}
            faultyRows={[]}
            mayLeaveOut={false}
            isFixed={file.format === 'ndjson'}
            onMap={(column, id) => {
              run.reset();
              setNames(names.map((name, at) => (at === column ? id : name)));
            }}
          />
        )}
        {file && (
          <Group align="start">
            <Switch
              label={text('import.skip')}
              description={text('import.skip_text')}
              checked={skips}
              onChange={({ currentTarget }) => setSkips(currentTarget.checked)}
            />
            <Select
              label={text('import.update')}
              description={text('import.update_text')}
              data={keys.map(({ id, label }) => ({ value: id, label }))}
              value={updatesBy}
              disabled={keepsIds}
              clearable
              onChange={setUpdatesBy}
            />
          </Group>
        )}
        {keepsIds && <Paragraph size="sm">{text('import.keeps_ids')}</Paragraph>}
        {run.isPending && (
          <Stack gap="xs">
            <Progress value={sent * 100} animated={sent === 1} aria-label={text('import.progress')} />
            <Paragraph size="sm" role="status">
              {sent < 1 ? text('import.sending', { percent: Math.floor(sent * 100) }) : text('import.storing')}
            </Paragraph>
          </Stack>
        )}
        {run.data && <Done outcome={run.data} text={text} />}
        {isStopped && <Paragraph size="sm">{text('import.stopped')}</Paragraph>}
        {(refused.length > 0 || isForeign) && (
          <Alert color="red" role="alert" title={text('import.refused')}>
            {isForeign && run.error.message}
          </Alert>
        )}
        <ImportFaults messages={run.data?.result.errors ?? refused} fields={all} />
        <Group justify="end">
          {run.isPending ? (
            <Button variant="default" onClick={() => stopper.current?.abort()}>
              {text('import.stop')}
            </Button>
          ) : (
            <Button variant="default" onClick={onClose}>
              {text(isDone ? 'app.close' : 'app.cancel')}
            </Button>
          )}
          {!isDone && (
            <>
              <Button variant="default" disabled={!file || run.isPending} onClick={() => start(true)}>
                {text('import.try')}
              </Button>
              <Button disabled={!file || run.isPending} onClick={() => start(false)}>
                {text('import.start')}
              </Button>
            </>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}

/** By row and column, of the records that are shown. */
type Faults = ReadonlyMap<string, string>;
const NO_FAULTS: Faults = new Map();

function faultsOf({ rows }: ImportFile, names: readonly string[], fields: readonly Field[], text: Text): Faults {
  const columns = names.map((name) => fields.find(({ id }) => id === name));
  return new Map(
    rows.flatMap((row, at) =>
      columns.flatMap((field, column) => {
        const cell = row[column];
        const fault = field && cell !== undefined ? writtenFault(field, cell, text) : undefined;
        return fault === undefined ? [] : [[`${at} ${column}`, fault] as const];
      }),
    ),
  );
}

/** What an empty cell is; nothing for others, and for those that a record does not have. */
function emptyAs(cell: Cell | undefined, text: Text): string | undefined {
  if (cell === null) return text('import.no_value');
  return cell === '' ? text('import.empty_text') : undefined;
}

function Done({ outcome: { result, dryRun }, text }: { outcome: Outcome; text: Text }) {
  const { count, created, updated, unchanged, failed } = result;
  return (
    <Alert color={failed > 0 ? 'yellow' : 'green'} role="status" title={text(dryRun ? 'import.tried' : 'import.done')}>
      {text('import.result', { count, created, updated, unchanged, failed })}
    </Alert>
  );
}
