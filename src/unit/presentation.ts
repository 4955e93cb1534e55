/** The version of the way in which a kind presents its units: it changes with the kind's fields, and with nothing else. */
import { createHash } from 'node:crypto';
import { etagOf } from '../http/etag.js';
import { Answer } from '../http/answer.js';
import type { KindDef } from '../model/model.js';
import type { UnitRow } from './unit.repository.js';

const known = new WeakMap<KindDef, string>();

function presentationOf(kind: KindDef): string {
  const found = known.get(kind);
  if (found !== undefined) return found;
  const fields = [...kind.fields.values()].map(({ id, json, constant, def }) => {
    return [id, json, constant ?? null, def.multiple, def.hidden, def.readAccess ?? null];
  });
  const hash = createHash('sha256')
    .update(JSON.stringify([kind.id, fields]))
    .digest();
  const version = hash.readUInt32BE(0).toString(36);
  known.set(kind, version);
  return version;
}

/** A unit as an answer, with its ETag, which tells nothing of what the unit is linked with. */
export function unitAnswer(kind: KindDef, { tag, body }: UnitRow, withLinks = false): Answer {
  return new Answer(body, etagOf(tag, presentationOf(kind)), withLinks);
}
