import { Button, Modal, SegmentedControl, Stack, Switch, Text as Paragraph } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Field } from '../../api/types.js';
import { exportUnits, type FileFormat } from '../../api/transfer.js';
import { useText } from '../../i18n/text.js';
import { PageError } from '../../shell/page-states.js';
import { pickFile, saveFile } from './save-file.js';

export interface ExportUnitsProps {
  readonly kind: string;
  readonly filter: string;
  readonly search: string;
  readonly order: string;
  /** The columns in sight; undefined if none is hidden. */
  readonly columns: readonly Field[] | undefined;
  readonly onClose: () => void;
}

/** The most characters of the names of fields in an address. */
const LONGEST = 8000;

/** Saves what the grid shows as a file. */
export function ExportUnits({ kind, filter, search, order, columns, onClose }: ExportUnitsProps) {
  const text = useText();
  const [format, setFormat] = useState<FileFormat>('csv');
  const [isSafe, setSafe] = useState(true);
  const names = columns?.map(({ id }) => id);
  const isTooLong = names !== undefined && names.join(',').length > LONGEST;
  const saving = useMutation({
    mutationFn: async () => {
      const name = `${kind}.${format}`;
      const handle = await pickFile(name);
      const include = isTooLong ? undefined : names;
      const answer = await exportUnits(kind, { format, filter, order, include, isSafe: isSafe && format === 'csv' });
      await saveFile(answer, name, handle);
    },
    onSuccess: onClose,
  });
  const isStopped = saving.error?.name === 'AbortError';
  return (
    <Modal opened onClose={onClose} title={text('export.title')}>
      <Stack>
        <Paragraph size="sm">{text('export.what')}</Paragraph>
        {search !== '' && <Paragraph size="sm">{text('export.no_search')}</Paragraph>}
        {isTooLong && <Paragraph size="sm">{text('export.all_columns')}</Paragraph>}
        <SegmentedControl
          aria-label={text('export.format')}
          data={[
            { value: 'csv', label: 'CSV' },
            { value: 'ndjson', label: 'NDJSON' },
          ]}
          value={format}
          onChange={(value) => setFormat(value === 'ndjson' ? 'ndjson' : 'csv')}
        />
        {format === 'csv' && (
          <Switch
            label={text('export.safe')}
            description={text('export.safe_text')}
            checked={isSafe}
            onChange={({ currentTarget }) => setSafe(currentTarget.checked)}
          />
        )}
        {saving.error && !isStopped && <PageError error={saving.error} />}
        <Button loading={saving.isPending} onClick={() => saving.mutate()} data-autofocus>
          {text('export.save')}
        </Button>
      </Stack>
    </Modal>
  );
}
