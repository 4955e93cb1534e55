/** All that a project keeps encrypted: a field that is `sealed` is in this list, and nothing else is. */
import type { Json } from '../shared/json.js';
import type { KindDef, Model } from './model.js';

export interface SealedColumn {
  readonly kind: KindDef;
  readonly field: string;
  readonly column: string;
  /** What other columns become where a value is removed. */
  readonly lost: readonly (readonly [column: string, value: Json])[];
}

export function sealedColumns({ kinds }: Pick<Model, 'kinds'>): SealedColumn[] {
  return [...kinds.values()].flatMap((kind) =>
    [...kind.fields.values()].flatMap(({ id: field, column, sealed }) => {
      if (!sealed || column === undefined) return [];
      const lost = Object.entries(sealed.lost).map(([id, value]) => [columnOf(kind, id), value] as const);
      return [{ kind, field, column, lost }];
    }),
  );
}

function columnOf({ id: kind, fields }: KindDef, id: string): string {
  const column = fields.get(id)?.column;
  if (column === undefined) throw new Error(`'${kind}' stores no field '${id}'`);
  return column;
}
