/** Which tables and kinds a change of definitions concerns. Pure. */
import { isMemberKind, type Model } from '../../model/model.js';
import type { SchemaStep } from '../../model/table/diff.js';

/** Kinds that had a table and no longer have one. */
export function droppedKinds(before: Model, after: Model): string[] {
  const stored = [...before.kinds.values()].filter((kind) => !kind.builtIn && kind.storage.hasTable);
  return stored.filter(({ id }) => !after.kinds.get(id)?.storage.hasTable).map(({ id }) => id);
}

/** Kinds whose units are no longer members; their credentials are deleted. */
export function formerMemberKinds(before: Model, after: Model): string[] {
  const members = [...before.kinds.values()].filter(isMemberKind);
  return members.filter(({ id }) => !isMemberKindOf(after, id)).map(({ id }) => id);
}

function isMemberKindOf(model: Model, id: string): boolean {
  const kind = model.kinds.get(id);
  return kind !== undefined && isMemberKind(kind);
}

export function newOrDroppedTables(steps: readonly SchemaStep[]): string[] {
  return steps.flatMap((step) => {
    if (step.type === 'create_table') return [step.table.name];
    return step.type === 'drop_table' ? [step.table] : [];
  });
}

export function alteredTables(steps: readonly SchemaStep[]): string[] {
  const newTables = new Set(steps.flatMap((step) => (step.type === 'create_table' ? [step.table.name] : [])));
  return steps.flatMap((step) =>
    step.type === 'create_table' || step.type === 'drop_index' || newTables.has(step.table) ? [] : [step.table],
  );
}
