/**
 * The part of an ETag for how a unit is shown: it changes with the kind's fields, and with other units shown in the
 * answer.
 */
import { createHash } from 'node:crypto';
import { etagOf } from '../../../http/answer/etag.js';
import { Answer } from '../../../http/answer/answer.js';
import type { KindDef } from '../../../model/model.js';
import { hasConditions } from '../../../sql/list/hidden-fields.sql.js';
import type { ReadPlan } from '../../../sql/list/select.sql.js';
import type { UnitRow } from '../../store/unit-store.js';
import { getOrInsert } from '../../../shared/get-or-insert.js';

const presentationVersions = new WeakMap<KindDef, string>();

function presentationOf(kind: KindDef): string {
  return getOrInsert(presentationVersions, kind, () => hashOfFields(kind));
}

function hashOfFields(kind: KindDef): string {
  const fields = [...kind.fields.values()].map(({ id, json, constant, def }) => {
    return [id, json, constant ?? null, def.multiple, def.hidden, def.readAccess ?? null];
  });
  const hash = createHash('sha256')
    .update(JSON.stringify([kind.id, fields]))
    .digest();
  return hash.readUInt32BE(0).toString(36);
}

/** The ETag of a unit. */
export function unitEtag(kind: KindDef, { tag }: Pick<UnitRow, 'tag'>): string {
  return etagOf(tag, presentationOf(kind));
}

/** For an answer that shows more than the unit: changes with every byte. */
function presentationOfBody(kind: KindDef, body: string): string {
  const hash = createHash('sha256').update(presentationOf(kind)).update(body).digest();
  return hash.readBigUInt64BE(0).toString(36);
}

type ShownParts = Pick<ReadPlan, 'fields' | 'paths' | 'related' | 'also'>;

/**
 * Whether an answer by this plan may change while the unit does not: it shows other units too, by dotted paths, related
 * units or `load_links`, or it has fields that a rule may hide.
 */
export function showsMore({ fields, paths, related, also }: ShownParts): boolean {
  return paths !== undefined || related !== undefined || also !== undefined || hasConditions(fields);
}

/** The answer with a unit and its ETag. `more`: the body has parts of other units. */
export function unitAnswer(kind: KindDef, row: UnitRow, more = false): Answer {
  return new Answer(row.body, more ? etagOf(row.tag, presentationOfBody(kind, row.body)) : unitEtag(kind, row));
}
