/** Definitions that get other ids. Pure. */
import type { Field, KindDef, Model } from '../model.js';
import { namedByRecord, parameterRecordId } from '../../shared/identifiers.js';

/** The key in the body of an edit that gives a definition another id. */
export const RENAME_TO = 'rename_to';

/** New ids by the old ones. */
export interface Renames {
  readonly kinds: ReadonlyMap<string, string>;
  /** New names by the ids of records: `price` to `cost`, `ticket.state` to `phase`. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly groups: ReadonlyMap<string, string>;
  readonly linkTypes: ReadonlyMap<string, string>;
}

export const NO_RENAMES: Renames = { kinds: new Map(), parameters: new Map(), groups: new Map(), linkTypes: new Map() };

export function newId(ids: ReadonlyMap<string, string>, id: string): string {
  return ids.get(id) ?? id;
}

/** The new name of a field of a kind; its present one if it is none of the renamed parameters. */
export function newFieldId({ parameters }: Model, { parameters: renamed }: Renames, { def }: Field): string {
  const recordId = parameterRecordId(def);
  return parameters.get(recordId) === def ? (renamed.get(recordId) ?? def.id) : def.id;
}

/** The new name of a parameter of a kind, by its present one. */
export function newParameterName(
  model: Model,
  renames: Renames,
  { fields }: Pick<KindDef, 'fields'>,
  id: string,
): string {
  const field = fields.get(id);
  return field ? newFieldId(model, renames, field) : id;
}

/** The new id of the record of a parameter. */
export function newRecordId(renames: Renames, recordId: string): string {
  const { id, ownKind } = namedByRecord(recordId);
  const named = renames.parameters.get(recordId) ?? id;
  return parameterRecordId({ id: named, ownKind: ownKind && newId(renames.kinds, ownKind) });
}
