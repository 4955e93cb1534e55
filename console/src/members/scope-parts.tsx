/** What an API key may do: operations on units of kinds. */
import { Button, Group, MultiSelect, Stack, Text as Paragraph } from '@mantine/core';
import type { ScopePart } from '../api/members.js';
import { useKinds } from '../data/use-kinds.js';
import { useText } from '../i18n/text.js';
import { useRights } from '../shell/use-rights.js';
import { OPERATIONS, operationText } from './key-operations.js';

interface ScopePartsProps {
  readonly parts: readonly ScopePart[];
  readonly fault: string | undefined;
  readonly onChange: (parts: readonly ScopePart[]) => void;
}

export function ScopeParts({ parts, fault, onChange }: ScopePartsProps) {
  const text = useText();
  const { own, builtIn } = useKinds();
  const { administrator } = useRights();
  // Of keys of administrators alone; a kind of one's own with this id comes before it.
  const model =
    administrator === true && !own.some(({ id }) => id === 'model') ? [{ id: 'model', label: text('keys.model') }] : [];
  const kinds = [...own, ...builtIn, ...model].map(({ id, label }) => ({ value: id, label }));
  const operations = OPERATIONS.map((each) => ({ value: each, label: operationText(each, text) }));
  const change = (at: number, part: Partial<ScopePart>): void =>
    onChange(parts.map((each, n) => (n === at ? { ...each, ...part } : each)));
  return (
    <Stack gap="xs">
      {parts.map((part, at) => (
        <Group key={at} gap="xs" align="end">
          <MultiSelect
            label={text('keys.kinds')}
            data={kinds}
            value={[...part.kinds]}
            onChange={(next) => change(at, { kinds: next })}
            searchable
            className="filter-value"
          />
          <MultiSelect
            label={text('keys.operations')}
            data={operations}
            value={[...part.operations]}
            onChange={(next) => change(at, { operations: next })}
            searchable
            className="filter-value"
          />
          {parts.length > 1 && (
            <Button size="xs" variant="subtle" onClick={() => onChange(parts.filter((_, n) => n !== at))}>
              {text('keys.remove_part')}
            </Button>
          )}
        </Group>
      ))}
      {fault !== undefined && (
        <Paragraph size="sm" role="alert" className="fault">
          {fault}
        </Paragraph>
      )}
      <Group>
        <Button size="xs" variant="default" onClick={() => onChange([...parts, { kinds: [], operations: [] }])}>
          {text('keys.add_part')}
        </Button>
      </Group>
    </Stack>
  );
}
