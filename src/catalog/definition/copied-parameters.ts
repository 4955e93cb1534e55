/** Makes shared parameters own ones of the kinds that have them. */
import type { Model } from '../../model/model.js';
import { copyParameterStatement } from '../../sql/definition/model.sql.js';
import { deleteUnitsStatement } from '../../sql/write/delete.sql.js';
import type { Project } from '../../tenancy/project.js';
import type { DefinitionChange } from './definition-change.js';

/** Those that were to become own ones of kinds, and have not yet. */
export async function copyParameters(project: Project, change: DefinitionChange): Promise<void> {
  for (const [id, kinds] of change.copied) {
    const plan = change.planOf(project, typeOfParameter(change.before, id));
    await change.tx.run(copyParameterStatement(plan, id, kinds));
    await change.tx.run(deleteUnitsStatement(plan, [id]));
  }
  change.copied.clear();
}

export function typeOfParameter({ parameters }: Model, id: string): string {
  const def = parameters.get(id);
  if (!def) throw new Error(`there is no parameter ${id}`);
  return def.type;
}
