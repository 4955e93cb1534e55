/** Gives parameters other types, whose columns keep their values. */
import { kindsUsing, linkTypesUsing, type Model } from '../../model/model.js';
import { LINK_TABLE } from '../../model/names.js';
import { parameterType } from '../../model/parameter-type/type-by-id.js';
import type { ParameterTypeId } from '../../model/parameter-type/parameter-types.js';
import { refusal } from '../../shared/errors.js';
import type { Json } from '../../shared/json.js';
import { LIMITS } from '../../shared/limits.js';
import { hasMoreRowsStatement } from '../../sql/definition/index.sql.js';
import { retypeParameterStatement } from '../../sql/definition/rename.sql.js';
import type { Project } from '../../tenancy/project.js';
import { loadModel } from '../model/model-store.js';
import type { DefinitionChange } from './definition-change.js';

export interface RetypedParameter {
  /** Of its record. */
  readonly id: string;
  readonly from: ParameterTypeId;
  readonly to: ParameterTypeId;
  /** What changes of its record beside the type, by column. */
  readonly values: Readonly<Record<string, Json>>;
}

/** @throws KindError 409 where too many units would be written anew */
export async function retypeParameters(
  project: Project,
  change: DefinitionChange,
  model: Model,
  retyped: readonly RetypedParameter[],
): Promise<Model> {
  const { tx } = change;
  const rewritten = retyped.filter(({ from, to }) => parameterType(from).column !== parameterType(to).column);
  const tables = new Set(rewritten.flatMap(({ id }) => tablesWith(model, id)));
  if (tables.size > 0) {
    const [row] = await tx.run<{ more: boolean }>(
      hasMoreRowsStatement(project.schema, [...tables], LIMITS.rewrittenUnits),
    );
    if (row?.more) throw tooLarge(rewritten);
  }
  for (const { id, from, to, values } of retyped) {
    await tx.run(retypeParameterStatement(change.planOf(project, from), change.planOf(project, to), { id, values }));
    change.parameters.add(id);
  }
  return loadModel(tx, project, { known: model });
}

/** The tables of the kinds and link types that have values of a parameter. */
function tablesWith(model: Model, id: string): string[] {
  const kinds = kindsUsing(model, id).filter(({ storage }) => storage.hasTable);
  return [...kinds.map(({ table }) => table), ...(linkTypesUsing(model, id).length > 0 ? [LINK_TABLE] : [])];
}

function tooLarge(retyped: readonly RetypedParameter[]) {
  const names = retyped.map(({ id, to }) => `'${id}' (to ${to})`).join(', ');
  const most = LIMITS.rewrittenUnits.toLocaleString('en');
  const text = `To give ${names} another type would write more than ${most} units anew: make a new parameter, and fill it`;
  return refusal('model.too_large', text);
}
