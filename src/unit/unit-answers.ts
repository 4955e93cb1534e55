/**
 * The answers with units. The ETag of a unit has a part for how it is shown, which changes with the kind's fields, and
 * with other units shown in the answer.
 */
import { createHash } from 'node:crypto';
import { Answer, inPieces, jsonAnswer, pageAnswer } from '../http/answer/answer.js';
import { etagOf } from '../http/answer/etag.js';
import { RESULT_HEADER } from '../http/header-names.js';
import type { KindDef } from '../model/model.js';
import { getOrInsert } from '../shared/maps.js';
import type { AffectedUnits, UnitRow, UpsertedUnit } from './store/unit-store.js';

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

/** The answer with a unit and its ETag. `more`: the body has parts of other units. */
export function unitAnswer(kind: KindDef, row: UnitRow, more = false): Answer {
  return new Answer(row.body, more ? etagOf(row.tag, presentationOfBody(kind, row.body)) : unitEtag(kind, row));
}

export function onlyOne<Row>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (!row) throw new Error('a write answered no unit');
  return row;
}

/** The answer with a new unit. Nobody may keep one with a secret. */
export function createdAnswer(kind: KindDef, row: UnitRow, more?: boolean): Answer {
  const answer = unitAnswer(kind, row, more);
  if (kind.traits.secret === undefined) return answer;
  return new Answer(answer.content, answer.etag, { 'Cache-Control': 'no-store' });
}

export function bulkAnswer(rows: readonly UnitRow[]): Answer {
  return inPieces([`{"count":${rows.length},"items":`, ...bodyList(rows), '}']);
}

export function manyUpserted(rows: readonly UpsertedUnit[]): Answer {
  const results = JSON.stringify(rows.map(({ result }) => result));
  return inPieces([`{"count":${rows.length},"items":`, ...bodyList(rows), `,"results":${results}}`]);
}

/** A list of units as pieces of JSON text. */
function bodyList(rows: readonly UnitRow[]): string[] {
  return [...rows.map(({ body }, at) => (at === 0 ? `[${body}` : `,${body}`)), rows.length === 0 ? '[]' : ']'];
}

export function upserted(kind: KindDef, row: UpsertedUnit, more?: boolean): Answer {
  const { content, etag } = unitAnswer(kind, row, more);
  return new Answer(content, etag, { [RESULT_HEADER]: row.result });
}

export function affectedAnswer({ count, items }: AffectedUnits): Answer {
  return items === undefined ? jsonAnswer({ count }) : pageAnswer({ count, items });
}
