import { Button, Group, Modal, Radio, Stack, Table, Text as Paragraph } from '@mantine/core';
import { useState } from 'react';
import type { Field, Unit } from '../api/types.js';
import { shownValue } from '../fields/values.js';
import { useText } from '../i18n/text.js';

/** The values to store. */
export type Choice = Readonly<Record<string, unknown>>;

interface ConflictProps {
  /** What somebody else has changed. */
  readonly of?: 'unit' | 'definition';
  readonly fields: readonly Field[];
  /** The values that were to be stored. */
  readonly mine: Choice;
  /** The unit as somebody else has stored it. */
  readonly theirs: Unit;
  readonly onChoose: (choice: Choice) => void;
  readonly onClose: () => void;
}

/** Shows both versions of a unit or definition that somebody else has changed in the meantime, and lets one choose by field. */
export function Conflict({ of = 'unit', fields, mine, theirs, onChoose, onClose }: ConflictProps) {
  const text = useText();
  const differing = fields.filter(({ id }) => id in mine && JSON.stringify(mine[id]) !== JSON.stringify(theirs[id]));
  const [keepsTheirs, setKeepsTheirs] = useState<ReadonlySet<string>>(new Set());
  const choose = (id: string, isTheirs: boolean): void => {
    setKeepsTheirs((before) => new Set([...before].filter((name) => name !== id).concat(isTheirs ? [id] : [])));
  };
  const own = Object.entries(mine).filter(([id]) => !keepsTheirs.has(id));
  return (
    <Modal opened onClose={onClose} size="lg" title={text(`unit.conflict_${of}`)}>
      <Stack>
        <Paragraph size="sm">{text('unit.conflict_text')}</Paragraph>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Td />
              <Table.Th>{text('unit.conflict_yours')}</Table.Th>
              <Table.Th>{text('unit.conflict_theirs')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {differing.map((field) => (
              <Table.Tr key={field.id}>
                <Table.Th scope="row">{field.label}</Table.Th>
                {[false, true].map((isTheirs) => (
                  <Table.Td key={String(isTheirs)}>
                    <Radio
                      name={field.id}
                      label={shownValue(field, (isTheirs ? theirs : mine)[field.id], text) || text('field.null')}
                      checked={keepsTheirs.has(field.id) === isTheirs}
                      onChange={() => choose(field.id, isTheirs)}
                    />
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        <Group justify="end">
          <Button variant="default" onClick={onClose}>
            {text('app.cancel')}
          </Button>
          <Button onClick={() => onChoose(Object.fromEntries(own))}>{text('unit.conflict_continue')}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
