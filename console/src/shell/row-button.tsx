/** A small button in a row of a table. */
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';

interface RowButtonProps {
  /** What it does, and to which row: for who does not see where it stands. */
  readonly label: string;
  readonly removes?: true;
  readonly loading?: boolean;
  readonly children: ReactNode;
  readonly onClick: () => void;
}

export function RowButton({ label, removes, loading = false, children, onClick }: RowButtonProps) {
  const look = removes ? ({ color: 'red', variant: 'light' } as const) : ({ variant: 'default' } as const);
  return (
    <Button size="compact-xs" {...look} aria-label={label} loading={loading} onClick={onClick}>
      {children}
    </Button>
  );
}
