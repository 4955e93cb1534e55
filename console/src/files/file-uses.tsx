/** Which units refer to a file, by kind and field. */
import { Anchor, Group, Text as Paragraph } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { FILE_KIND } from '../../../src/model/built-in-traits.js';
import { parameterRecordId } from '../../../src/shared/identifiers.js';
import type { Kind, Unit } from '../api/types.js';
import { countUnits, listUnits, literal } from '../api/units.js';
import { filterQuery } from '../data/source.js';
import { useKinds } from '../data/use-kinds.js';
import { useText } from '../i18n/text.js';
import { useRights } from '../shell/use-rights.js';

/** The kinds and fields that are asked; each is a request. */
const MOST_ASKED = 20;

interface Use {
  readonly kind: Kind;
  readonly label: string;
  readonly filter: string;
  readonly count: number;
}

export function FileUses({ id }: { readonly id: string }) {
  const text = useText();
  const { own } = useKinds();
  const { to } = useRights();
  const kinds = own.filter(({ id: kind, active, remote }) => active && !remote && to('read', kind) !== 'none');
  const { data } = useQuery({
    queryKey: ['file-uses', id, kinds.map((kind) => kind.id)],
    queryFn: ({ signal }) => usesOf(id, kinds, signal),
    enabled: to('read', 'unit') !== 'none' && kinds.length > 0,
    retry: false,
  });
  if (!data) return null;
  const used = data.filter(({ count }) => count > 0);
  return (
    <Group gap="xs">
      <Paragraph size="sm">{text(used.length > 0 ? 'files.used_by' : 'files.unused')}</Paragraph>
      {used.map(({ kind, label, filter, count }) => (
        <Anchor key={`${kind.id} ${label}`} component={Link} size="sm" to={`/data/${kind.id}${filterQuery(filter)}`}>
          {text('files.use', { kind: kind.label, field: label, smart_count: count })}
        </Anchor>
      ))}
    </Group>
  );
}

async function usesOf(file: string, kinds: readonly Kind[], signal: AbortSignal): Promise<readonly Use[]> {
  const { items } = await listUnits(
    'unit',
    { filter: `eq(reference_kind,${FILE_KIND})`, cursor: '', limit: 1000, include: ['id', 'label'] },
    signal,
  );
  const references = new Map<string, Unit>(items.map((parameter) => [parameter.id, parameter]));
  const asked = kinds.flatMap((kind) =>
    kind.parameters.flatMap((id) => {
      const parameter = references.get(parameterRecordId({ id, ownKind: kind.id })) ?? references.get(id);
      const label = parameter?.['label'];
      return parameter
        ? [{ kind, label: typeof label === 'string' ? label : id, filter: `eq(${id},${literal(file)})` }]
        : [];
    }),
  );
  return Promise.all(
    asked.slice(0, MOST_ASKED).map(async (use) => {
      const { count } = await countUnits([use.kind.id, 'unit'], { filter: use.filter }, signal);
      return { ...use, count };
    }),
  );
}
