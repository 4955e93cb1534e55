/** A row of the grid. It is rendered again only if something in it changes. */
import { memo, type ReactNode } from 'react';
import { Link } from 'react-router';
import type { Field, Unit } from '../api/types.js';
import { isNumeric, shownValue } from '../fields/values.js';
import { useText, type Text } from '../i18n/text.js';
import { FileThumb } from '../files/file-thumb.js';
import { labelKey, type Labels } from './reference-labels.js';

export interface Column {
  readonly index: number;
  /** Pixels. */
  readonly left: number;
  readonly width: number;
  /** Undefined for the first columns: the box that selects, and the id. */
  readonly field: Field | undefined;
}

/** Columns before the fields. */
export const FIXED = 2;

/** The control in a cell that is edited. */
export interface OpenEditor {
  readonly left: number;
  readonly width: number;
  readonly content: ReactNode;
}

interface GridRowProps {
  readonly unit: Unit;
  /** From 1; the head is 0. */
  readonly row: number;
  readonly top: number;
  readonly height: number;
  readonly columns: readonly Column[];
  readonly pageOf: (kind: string, id: string) => string;
  readonly linkField: string | undefined;
  readonly labels: Labels;
  /** The kind whose units are files; undefined if the project has none. */
  readonly fileKind: string | undefined;
  readonly isSelected: boolean;
  /** The column of the cell that the keyboard is at; undefined if it is in another row. */
  readonly activeColumn: number | undefined;
  readonly editor: OpenEditor | undefined;
  readonly onToggle: (unit: Unit, to: boolean) => void;
  readonly onActivate: (row: number, column: number) => void;
}

export const GridRow = memo(function GridRow(props: GridRowProps) {
  const { unit, row, top, height, columns, pageOf, linkField, labels, fileKind, isSelected, activeColumn } = props;
  const { editor, onToggle, onActivate } = props;
  const text = useText();
  const contents = (column: Column): ReactNode => {
    if (column.index === 0) {
      const label = text('grid.select', { name: unit.id });
      return (
        <input
          type="checkbox"
          tabIndex={-1}
          aria-label={label}
          checked={isSelected}
          onChange={() => onToggle(unit, !isSelected)}
        />
      );
    }
    const content = column.field ? cellOf(column.field, unit, { labels, fileKind }, text) : unit.id;
    if (column.field && column.field.id !== linkField) return content;
    return (
      <Link to={pageOf(unit.kind_id, unit.id)} tabIndex={-1} title={unit.id}>
        {content}
      </Link>
    );
  };
  return (
    <div
      role="row"
      aria-rowindex={row + 1}
      aria-selected={isSelected}
      className="grid-row"
      style={{ height, transform: `translateY(${top}px)` }}
    >
      {columns.map((column) => (
        <div
          key={column.index}
          role="gridcell"
          aria-colindex={column.index + 1}
          className="grid-cell"
          data-cell={`${row} ${column.index}`}
          data-align={column.field && isNumeric(column.field) ? 'right' : undefined}
          tabIndex={activeColumn === column.index ? 0 : -1}
          style={{ left: column.left, width: column.width }}
          onFocus={() => onActivate(row, column.index)}
        >
          {contents(column)}
        </div>
      ))}
      {editor && (
        <div className="grid-editor" style={{ left: editor.left, width: editor.width }}>
          {editor.content}
        </div>
      )}
    </div>
  );
});

function cellOf(
  field: Field,
  unit: Unit,
  { labels, fileKind }: Pick<GridRowProps, 'labels' | 'fileKind'>,
  text: Text,
): ReactNode {
  const value = unit[field.id];
  if (value === null || value === undefined) return <span className="null">–</span>;
  const kind = field.reference_kind ?? undefined;
  if (kind !== undefined && typeof value === 'string') {
    return (
      <Link to={addressOf(kind, value)} tabIndex={-1} title={value}>
        {kind === fileKind && <FileThumb id={value} size="line" />}
        {labels.get(labelKey(kind, value)) ?? value}
      </Link>
    );
  }
  const shown = shownValue(field, value, text);
  return (
    <span title={shown}>
      {unit.kind_id === fileKind && field.id === 'name' && <FileThumb id={unit.id} size="line" />}
      {shown}
    </span>
  );
}

export function addressOf(kind: string, id: string): string {
  return `/data/${kind}/unit/${encodeURIComponent(id)}`;
}
