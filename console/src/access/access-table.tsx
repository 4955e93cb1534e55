/** A table of access: what it is about, and for each operation who may do it. */
import { Button, Text as Paragraph, VisuallyHidden } from '@mantine/core';
import { memo, useState, type ReactNode } from 'react';
import { Link } from 'react-router';
import { useText, type Text } from '../i18n/text.js';
import { EntrySetting } from './setting.js';
import type { Entries } from './use-report.js';

export interface AccessRow {
  readonly id: string;
  readonly label: string;
  readonly notes: readonly string[];
  readonly entries: Entries | undefined;
}

export interface AccessTableProps {
  readonly label: string;
  readonly operations: readonly string[];
  readonly rows: readonly AccessRow[];
  /** Where an operation is edited; undefined where it cannot be. */
  readonly addressOf: (id: string, operation: string) => string | undefined;
  /** Where there is no setting. */
  readonly otherwise?: string;
}

/** Rows that are shown at first. */
const SHOWN = 100;

export function AccessTable({ label, operations, rows, addressOf, otherwise }: AccessTableProps) {
  const text = useText();
  const [shown, setShown] = useState(SHOWN);
  return (
    <>
      <div className="access-scroll" role="group" aria-label={label} tabIndex={0}>
        <table className="access-table">
          <thead>
            <tr>
              <th scope="col">
                <VisuallyHidden>{label}</VisuallyHidden>
              </th>
              {operations.map((operation) => (
                <th key={operation} scope="col">
                  {text(`operation.${operation as 'read'}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, shown).map((row) => (
              <Row
                key={row.id}
                row={row}
                operations={operations}
                addressOf={addressOf}
                otherwise={otherwise}
                text={text}
              />
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > shown && (
        <Button size="xs" variant="default" onClick={() => setShown(shown + SHOWN * 5)}>
          {text('access.more', { smart_count: rows.length - shown })}
        </Button>
      )}
    </>
  );
}

interface RowProps extends Pick<AccessTableProps, 'operations' | 'addressOf'> {
  readonly row: AccessRow;
  readonly otherwise: string | undefined;
  readonly text: Text;
}

const Row = memo(function Row({ row, operations, addressOf, otherwise, text }: RowProps) {
  const { id, label, notes, entries } = row;
  return (
    <tr>
      <th scope="row">
        {label}
        {label !== id && <code>{id}</code>}
        {notes.length > 0 && <small>{notes.join(', ')}</small>}
      </th>
      {operations.map((operation) => {
        const entry = entries?.get(operation);
        const shown: ReactNode = entry ? <EntrySetting entry={entry} /> : otherwise && <small>{otherwise}</small>;
        const address = entry || otherwise ? addressOf(id, operation) : undefined;
        const state =
          entry?.stranger_writes && entry.accepted === null ? 'writes' : entry?.stranger ? 'reads' : undefined;
        return (
          <td key={operation} data-stranger={state}>
            {address === undefined ? (
              shown
            ) : (
              <Link to={address}>
                <VisuallyHidden>{`${label}, ${text(`operation.${operation as 'read'}`)}: `}</VisuallyHidden>
                {shown}
              </Link>
            )}
          </td>
        );
      })}
    </tr>
  );
});

export function Nothing({ children }: { children: ReactNode }) {
  return (
    <Paragraph size="sm" c="dimmed">
      {children}
    </Paragraph>
  );
}
