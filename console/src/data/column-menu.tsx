/** Chooses the columns of the grid. */
import { Button, Checkbox, Group, Popover, ScrollArea, Stack, Text as Paragraph } from '@mantine/core';
import { useState } from 'react';
import type { Field } from '../api/types.js';
import { useText } from '../i18n/text.js';
import { FindInput } from '../shell/find-input.js';

interface ColumnMenuProps {
  readonly fields: readonly Field[];
  readonly hidden: readonly string[];
  readonly onChange: (hidden: readonly string[]) => void;
}

/** Columns from which there is a field to find one, and the most that are offered at once. */
const FIND_FROM = 10;
const OFFERED = 100;

export function ColumnMenu({ fields, hidden, onChange }: ColumnMenuProps) {
  const text = useText();
  const [find, setFind] = useState('');
  const wanted = find.trim().toLowerCase();
  const found = fields.filter(({ id, label }) => `${label}\n${id}`.toLowerCase().includes(wanted));
  const ids = new Set(found.map(({ id }) => id));
  const others = hidden.filter((id) => !ids.has(id));
  return (
    <Popover position="bottom-end" trapFocus>
      <Popover.Target>
        <Button size="xs" variant="default">
          {text('grid.columns')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown maw={360}>
        <Stack gap="xs">
          {fields.length >= FIND_FROM && (
            <FindInput label={text('grid.columns_find')} value={find} onChange={setFind} />
          )}
          <Group gap="xs">
            <Button size="compact-xs" variant="default" onClick={() => onChange(others)}>
              {text('grid.columns_all')}
            </Button>
            <Button size="compact-xs" variant="default" onClick={() => onChange([...others, ...ids])}>
              {text('grid.columns_none')}
            </Button>
          </Group>
          <ScrollArea.Autosize mah="50vh" viewportProps={{ tabIndex: 0 }}>
            <Stack gap="xs">
              {found.slice(0, OFFERED).map(({ id, label }) => (
                <Checkbox
                  key={id}
                  size="xs"
                  label={label}
                  title={id}
                  checked={!hidden.includes(id)}
                  onChange={() =>
                    onChange(hidden.includes(id) ? hidden.filter((name) => name !== id) : [...hidden, id])
                  }
                />
              ))}
              {found.length > OFFERED && (
                <Paragraph size="xs" c="dimmed">
                  {text('grid.columns_more', { smart_count: found.length - OFFERED })}
                </Paragraph>
              )}
            </Stack>
          </ScrollArea.Autosize>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
