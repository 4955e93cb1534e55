/** The answers of writes of units. */
import { Answer, inPieces, jsonAnswer, pageAnswer } from '../http/answer/answer.js';
import { RESULT_HEADER } from '../http/request/header-names.js';
import type { KindDef } from '../model/model.js';
import type { AffectedUnits, UnitRow, UpsertedUnit } from './store/unit-store.js';
import { unitAnswer } from './table/read/presentation-version.js';

export function onlyOne<Row>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (!row) throw new Error('a write answered no unit');
  return row;
}

/** The answer with a new unit. Nobody may keep one with a secret. */
export function createdAnswer(kind: KindDef, row: UnitRow): Answer {
  const answer = unitAnswer(kind, row);
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

export function upserted(kind: KindDef, row: UpsertedUnit): Answer {
  const { content, etag } = unitAnswer(kind, row);
  return new Answer(content, etag, { [RESULT_HEADER]: row.result });
}

export function affectedAnswer({ count, items }: AffectedUnits): Answer {
  return items === undefined ? jsonAnswer({ count }) : pageAnswer({ count, items });
}
