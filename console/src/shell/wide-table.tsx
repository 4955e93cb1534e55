/** A table that scrolls sideways where it is wider than the page, also with the keyboard. Its buttons stay in sight. */
import { Table } from '@mantine/core';
import type { ReactNode } from 'react';

interface WideTableProps {
  readonly label: string;
  /** The least width, in pixels. */
  readonly minWidth: number;
  readonly children: ReactNode;
}

export function WideTable({ label, minWidth, children }: WideTableProps) {
  return (
    <Table.ScrollContainer
      className="wide-table"
      minWidth={minWidth}
      type="native"
      tabIndex={0}
      role="group"
      aria-label={label}
    >
      <Table aria-label={label}>{children}</Table>
    </Table.ScrollContainer>
  );
}
