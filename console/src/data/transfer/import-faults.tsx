import { Table, Text as Paragraph } from '@mantine/core';
import { useMemo } from 'react';
import type { Field, Message } from '../../api/types.js';
import { useText } from '../../i18n/text.js';
import { labelsOf, textAlone } from '../faults.js';

const SHOWN = 100;

interface ImportFaultsProps {
  readonly messages: readonly Message[];
  readonly fields: readonly Field[];
}

/** What is wrong in which record of a file. */
export function ImportFaults({ messages, fields }: ImportFaultsProps) {
  const text = useText();
  const labels = useMemo(() => labelsOf(fields), [fields]);
  if (messages.length === 0) return null;
  return (
    <>
      <Table.ScrollContainer minWidth={400} mah={300} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
        <Table aria-label={text('import.faults')}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{text('import.line')}</Table.Th>
              <Table.Th>{text('import.record')}</Table.Th>
              <Table.Th>{text('import.fault')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {messages.slice(0, SHOWN).map(({ line, record, text: fault }, at) => (
              <Table.Tr key={at}>
                <Table.Td>{line ?? ''}</Table.Td>
                <Table.Td>{record ?? ''}</Table.Td>
                <Table.Td>{textAlone(fault, labels)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {messages.length > SHOWN && (
        <Paragraph size="sm" c="dimmed">
          {text('import.more_faults', { smart_count: messages.length - SHOWN })}
        </Paragraph>
      )}
    </>
  );
}
