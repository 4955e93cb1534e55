/** Which units refer to a file, by kind and field, and how many links it has. */
import { Anchor, Button, Group, Text as Paragraph } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { FILE_KIND } from '../../../src/model/built-in-traits.js';
import { parameterRecordId } from '../../../src/shared/identifiers.js';
import { walk, type Direction } from '../api/links.js';
import type { Kind, Unit } from '../api/types.js';
import { countUnits, listUnits, literal } from '../api/units.js';
import { filterQuery } from '../data/source.js';
import { useKinds } from '../data/use-kinds.js';
import { useText } from '../i18n/text.js';
import { useRights } from '../shell/use-rights.js';

/** The fields that are asked at once; each is a request. */
const AT_ONCE = 20;

/** A field that refers to files. */
interface Referring {
  readonly kind: Kind;
  readonly id: string;
  readonly label: string;
}

export function FileUses({ id }: { readonly id: string }) {
  const text = useText();
  const { own } = useKinds();
  const { to } = useRights();
  const kinds = own.filter(({ id: kind, active, remote }) => active && !remote && to('read', kind) !== 'none');
  const { data: fields = [], isSuccess } = useQuery({
    queryKey: ['referring-fields', kinds.map((kind) => kind.id)],
    queryFn: ({ signal }) => referringFields(kinds, signal),
    enabled: to('read', 'unit') !== 'none' && kinds.length > 0,
    retry: false,
  });
  const uses = useInfiniteQuery({
    queryKey: ['file-uses', id, fields.map((field) => [field.kind.id, field.id])],
    queryFn: ({ pageParam, signal }) => usesOf(id, fields.slice(pageParam, pageParam + AT_ONCE), signal),
    initialPageParam: 0,
    getNextPageParam: (_, pages) => (pages.length * AT_ONCE < fields.length ? pages.length * AT_ONCE : undefined),
    enabled: isSuccess,
    retry: false,
  });
  const { data: links = 0, isSuccess: areLinksKnown } = useQuery({
    queryKey: ['file-links', id],
    queryFn: ({ signal }) => countLinks(id, signal),
    retry: false,
  });
  if (!uses.data) return null;
  const used = uses.data.pages.flat();
  const left = fields.length - uses.data.pages.length * AT_ONCE;
  const isUnused = used.length === 0 && links === 0 && areLinksKnown && left <= 0;
  return (
    <Group gap="xs">
      <Paragraph size="sm">{text(isUnused ? 'files.unused' : 'files.used_by')}</Paragraph>
      {used.map(({ kind, label, filter, count }) => (
        <Anchor key={`${kind.id} ${filter}`} component={Link} size="sm" to={`/data/${kind.id}${filterQuery(filter)}`}>
          {text('files.use', { kind: kind.label, field: label, smart_count: count })}
        </Anchor>
      ))}
      {links > 0 && (
        <Anchor component={Link} size="sm" to={`/links/${FILE_KIND}/${id}`}>
          {text('files.links', { smart_count: links })}
        </Anchor>
      )}
      {left > 0 && (
        <Button
          size="compact-xs"
          variant="subtle"
          loading={uses.isFetchingNextPage}
          onClick={() => void uses.fetchNextPage()}
        >
          {text('files.more_fields', { smart_count: left })}
        </Button>
      )}
    </Group>
  );
}

async function referringFields(kinds: readonly Kind[], signal: AbortSignal): Promise<readonly Referring[]> {
  const { items } = await listUnits(
    'unit',
    { filter: `eq(reference_kind,${FILE_KIND})`, cursor: '', limit: 1000, include: ['id', 'label'] },
    signal,
  );
  const references = new Map<string, Unit>(items.map((parameter) => [parameter.id, parameter]));
  return kinds.flatMap((kind) =>
    kind.parameters.flatMap((id) => {
      const parameter = references.get(parameterRecordId({ id, ownKind: kind.id })) ?? references.get(id);
      const label = parameter?.['label'];
      return parameter ? [{ kind, id, label: typeof label === 'string' ? label : id }] : [];
    }),
  );
}

/** Without fields that no unit refers to it by. */
async function usesOf(file: string, fields: readonly Referring[], signal: AbortSignal) {
  const uses = await Promise.all(
    fields.map(async (field) => {
      const filter = `eq(${field.id},${literal(file)})`;
      const { count } = await countUnits([field.kind.id, 'unit'], { filter }, signal);
      return { ...field, filter, count };
    }),
  );
  return uses.filter(({ count }) => count > 0);
}

async function countLinks(id: string, signal: AbortSignal): Promise<number> {
  const directions: readonly Direction[] = ['parent', 'child'];
  const query = { types: [], steps: 1, limit: 1, cursor: '' };
  const pages = await Promise.all(
    directions.map((direction) => walk({ kind: FILE_KIND, id }, { ...query, direction }, signal)),
  );
  return pages.reduce((sum, { count }) => sum + count, 0);
}
