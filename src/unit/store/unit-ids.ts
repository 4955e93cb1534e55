/** Ids in paths. */
import { refuseSealed } from '../../access/access.js';
import type { KindDef } from '../../model/model.js';
import type { Stored } from '../../model/parameter-type/parameter-type.js';
import { refusal, type KindError } from '../../shared/errors.js';
import { scalarText, textFault } from '../../shared/json.js';

/** Parses the id of a path; undefined where no unit of the kind can have it. */
export function parseKey(kind: KindDef, text: string): Stored | undefined {
  refuseSealed(kind, text);
  if (textFault(text) !== undefined) return undefined;
  const key = kind.keyField.type.read(text);
  if (key === undefined || kind.key === 'uuid') return key;
  return scalarText(key) === text ? key : undefined;
}

/** The id of a path. @throws KindError 404 where no unit of the kind can have it */
export function requireKey(kind: KindDef, text: string): Stored {
  const key = parseKey(kind, text);
  if (key === undefined) throw unknownUnit(kind, text);
  return key;
}

export function unknownUnit(kind: KindDef, id: string): KindError {
  return noUnit(id, `of '${kind.id}'`);
}

/** @param where such as `of 'city'` */
export function noUnit(id: string, where: string): KindError {
  return refusal('unit.unknown', `No unit '${id.length > 100 ? `${id.slice(0, 100)}…` : id}' ${where}`);
}
