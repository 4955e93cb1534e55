/** The first rows of a table that is to be stored, with the field of each column, and what is wrong in which cell. */
import { Select, Table } from '@mantine/core';
import type { Field } from '../../api/types.js';
import { useText } from '../../i18n/text.js';
import { shortened } from '../../shell/shortened.js';
import type { Cell } from './table.js';

interface PreviewTableProps {
  /** What the table calls its columns; none if it has no head. */
  readonly head: readonly string[];
  readonly rows: readonly (readonly (Cell | undefined)[])[];
  readonly columns: readonly (Field | undefined)[];
  readonly fields: readonly Field[];
  readonly faultOf: (row: number, column: number) => string | undefined;
  /** What a cell was read as, where that is not what it says. */
  readonly readAs?: (row: number, column: number) => string | undefined;
  readonly faultyRows: readonly number[];
  readonly onMap: (column: number, field: string) => void;
  readonly mayLeaveOut?: boolean;
  /** Whether the names of columns cannot be changed. */
  readonly isFixed?: boolean;
}

const SHOWN = 20;
/** Characters of a cell that are shown. */
const MOST_OF_CELL = 200;
/** A field that stands for none. No field has such a name. */
const NONE = '@none';

export function PreviewTable(props: PreviewTableProps) {
  const {
    head,
    rows,
    columns,
    fields,
    faultOf,
    readAs,
    faultyRows,
    onMap,
    mayLeaveOut = true,
    isFixed = false,
  } = props;
  const text = useText();
  const data = [
    ...(mayLeaveOut ? [{ value: NONE, label: text('paste.left_out') }] : []),
    ...fields.map(({ id, label }) => ({ value: id, label })),
  ];
  // Rows with faults first: they may be far down.
  const first = Array.from({ length: Math.min(rows.length, SHOWN) }, (_, at) => at);
  const shown = [...new Set([...[...faultyRows].sort((a, b) => a - b).slice(0, SHOWN), ...first])];
  return (
    <Table.ScrollContainer
      minWidth={columns.length * 160}
      mah={360}
      scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}
    >
      <Table withTableBorder layout="fixed" className="text-of-tenant" aria-label={text('paste.preview')}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{text('paste.row')}</Table.Th>
            {columns.map((field, at) => (
              <Table.Th key={at}>
                {shortened(head[at] ?? '', MOST_OF_CELL)}
                {!isFixed && (
                  <Select
                    size="xs"
                    aria-label={text('paste.column', { name: head[at] ?? String(at + 1) })}
                    data={data}
                    value={field?.id ?? (mayLeaveOut ? NONE : null)}
                    error={field === undefined && !mayLeaveOut}
                    limit={100}
                    searchable
                    allowDeselect={false}
                    onChange={(id) => id !== null && onMap(at, id)}
                  />
                )}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {shown.slice(0, SHOWN).map((row) => (
            <Table.Tr key={row}>
              <Table.Th scope="row">{row + 1}</Table.Th>
              {columns.map((_, at) => {
                const fault = faultOf(row, at);
                const meant = readAs?.(row, at);
                return (
                  <Table.Td key={at} className={fault === undefined ? undefined : 'faulty'}>
                    {shortened(rows[row]?.[at] ?? '', MOST_OF_CELL)}
                    {meant !== undefined && <div className="null">{text('paste.read_as', { value: meant })}</div>}
                    {fault !== undefined && <div className="fault">{fault}</div>}
                  </Table.Td>
                );
              })}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
