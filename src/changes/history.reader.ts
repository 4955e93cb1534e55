/** Reads the history of units: gives new changes their numbers, then judges them in PostgreSQL. */
import { Injectable } from '@nestjs/common';
import type { Session } from '../catalog/session/session.js';
import { isDatabaseFault } from '../database/statement/sqlstate.js';
import { inPieces, type Answer } from '../http/answer/answer.js';
import { instantOf } from '../model/parameter-type/calendar.js';
import { type KindError, refusal } from '../shared/errors.js';
import { isPlainObject, type Json } from '../shared/json.js';
import { SecretBox } from '../shared/secret-box.js';
import {
  historyStatement,
  pastStatement,
  type HistoryPlan,
  type PastPlan,
  type PastRow,
  type VersionRow,
} from '../sql/changes/history.sql.js';
import { badCursor, pageCursor } from '../unit/query/cursor.js';
import { unknownUnit } from '../unit/store/unit-ids.js';
import { checkVersion } from '../unit/table/unit.repository.js';
import { shownOrigin } from './feed-event.js';
import { namesOfVersions } from './history.plan.js';
import { Numbering } from './numbering.js';

@Injectable()
export class HistoryReader {
  constructor(
    private readonly numbering: Numbering,
    private readonly box: SecretBox,
  ) {}

  /** A page of versions. @throws KindError 404 for a unit that never was, or that the caller may not see */
  async page(session: Session, plan: HistoryPlan): Promise<Answer> {
    const place = [session.project.id, 'cursor of a history'];
    const cursor = withLast(plan.cursor, (sealed) => this.box.open(sealed, place));
    const rows = await this.#versions(session, { ...plan, cursor });
    const [first] = rows;
    if (!first?.found) throw unknownUnit(plan.kind, plan.unit ?? '');
    const found = rows.filter(({ unit }) => unit !== null);
    const shown = found.slice(0, plan.limit);
    const keys = found.length > plan.limit ? shown.at(-1)?.keys : undefined;
    const last = withLast(keys, (seq) => this.box.seal(seq, place));
    const next = plan.cursor
      ? `,"next":${JSON.stringify(last ? pageCursor({ kind: namesOfVersions(plan).kind, order: plan.order }, last) : null)}`
      : '';
    const items = shown.map((row) => versionOf(plan, row));
    return inPieces([`{"count":${first.count},"items":[`, items.join(), `]${next}}`]);
  }

  /** Changes that are committed now can be found. To be called before a transaction that reads them begins. */
  async number(schema: string): Promise<void> {
    await this.numbering.number(schema);
  }

  async #versions(session: Session, plan: HistoryPlan): Promise<readonly VersionRow[]> {
    await this.number(plan.schema);
    try {
      const rows = await session.executor.run<VersionRow>(historyStatement(plan));
      checkVersion(rows[0], session.model);
      return rows;
    } catch (error) {
      const isBadCursor = plan.cursor?.length && isDatabaseFault(error) && error.code.startsWith('22');
      throw isBadCursor ? badCursor() : error;
    }
  }

  /** A unit as it was. @throws KindError 404 for a unit that never was, or whose history the caller may not see */
  async past(session: Session, plan: PastPlan): Promise<Past> {
    const [row] = await session.executor.run<PastRow>(pastStatement(plan));
    checkVersion(row, session.model);
    if (!row?.found) throw row?.readable ? unknownVersion() : unknownUnit(plan.kind, plan.unit);
    const hidden = new Set(row.hidden ?? []);
    return {
      ...row,
      past: valuesOf(row.past, hidden),
      present: row.present === null ? undefined : valuesOf(row.present, hidden),
    };
  }
}

/**
 * Order values with another last one, the number of a change: cursors have it sealed, since it counts the changes of all.
 * @throws KindError 400 if it has none
 */
function withLast(
  keys: readonly (string | null)[] | undefined,
  write: (last: string) => string | undefined,
): readonly (string | null)[] | undefined {
  if (!keys?.length) return keys;
  const last = write(keys.at(-1) ?? '');
  if (last === undefined) throw badCursor();
  return [...keys.slice(0, -1), last];
}

type Values = Readonly<Record<string, Json>>;

/** A unit as it was, and as it is. */
export interface Past extends Omit<PastRow, 'past' | 'present'> {
  readonly past: Values;
  /** Undefined if it was deleted. */
  readonly present: Values | undefined;
}

/** @param hidden the fields that the unit does not show now */
function valuesOf(text: string | null, hidden: ReadonlySet<string>): Values {
  const values: unknown = JSON.parse(text ?? '{}');
  return isPlainObject(values)
    ? (Object.fromEntries(Object.entries(values).filter(([id]) => !hidden.has(id))) as Values)
    : {};
}

/** @throws KindError 404 */
export function unknownVersion(): KindError {
  return refusal('history.unknown', 'The unit has no such version, or none that you may see');
}

/** The JSON of a version. */
function versionOf({ unit }: HistoryPlan, row: VersionRow): string {
  const { version, operation, origin, changes } = row;
  const { via, key, member, member_kind, ...more } = shownOrigin(origin) as Record<string, Json>;
  const head = {
    ...(unit === undefined && { unit_id: row.unit }),
    version: Number(version),
    at: instantOf(version),
    operation,
    member,
    member_kind,
    via,
    key,
    ...more,
  };
  // The values are the JSON of PostgreSQL.
  return `${JSON.stringify(head).slice(0, -1)},"changes":${changes ?? '{}'}}`;
}
