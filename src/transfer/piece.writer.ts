/**
 * Writes the records of a file, some at once, with the code of bulk creates. Where PostgreSQL or a hook refuses
 * some of them, what these did is undone, their faults are noted, and the others are written without them.
 */
import type { Transaction } from '../database/database.js';
import { FunctionError } from '../kit/function-error.js';
import type { UpsertQuery } from '../filter/queries.js';
import { shownValue } from '../model/field.js';
import type { Field, KindDef } from '../model/model.js';
import type { Predicate } from '../model/predicate/predicate.js';
import { KindError, type Message } from '../shared/errors.js';
import type { MaybePromise } from '../shared/work-in-pieces.js';
import { getOrInsert } from '../shared/maps.js';
import { LIMITS } from '../shared/limits.js';
import { withCompleteRefusal } from '../database/transaction/complete-refusal.js';
import { readingAhead } from '../database/transaction/transaction.js';
import { keyRows, IGNORED_FAULTS } from '../unit/table/write/upsert.js';
import type { Session } from '../catalog/session/session.js';
import type { KeyRow, LookedUp, UnitStore, UpsertResult, WriteOptions } from '../unit/store/unit-store.js';
import type { FileRecord } from './file/file-record.js';
import { PIECE_RECORDS } from './file/file-pieces.js';
import { SeenKeys } from './seen-keys.js';

/** A fault of a record, as the answer shows it. The codes of hooks are their own. */
export interface ImportFault {
  readonly code: string;
  readonly text: string;
  readonly parameter?: string;
  readonly line: number;
  readonly record: number;
}

/** A refusal of some records; `index` is the position among those of one attempt. */
type RecordMessage = Omit<Message, 'code'> & { readonly code: string };

/** Statuses of refusals that are about records. */
const OF_RECORDS: ReadonlySet<number> = new Set([400, 403, 404, 409]);

const RESULTS = ['created', 'updated', 'unchanged', 'ignored'] as const;

export interface ImportTarget {
  readonly store: Pick<UnitStore, 'creates' | 'isolation' | 'upserts'>;
  readonly kind: KindDef;
  readonly access: Predicate | undefined;
  readonly keepIds: boolean;
  /** Set if units that are there are edited or left. */
  readonly upsert: { readonly query: UpsertQuery; readonly by: readonly Field[] } | undefined;
}

/** A piece whose records are checked for what the file itself shows. */
interface PreparedPiece {
  /** Records without faults so far. */
  readonly records: readonly FileRecord[];
  readonly noted: ImportFault[];
  /** Of an upsert. */
  readonly looked: MaybePromise<LookedUp | undefined>;
}

/** A piece that is being written. */
interface WrittenPiece {
  readonly done: Promise<void>;
  /** Settles when PostgreSQL has begun to work on it, or with `done`. */
  readonly sent: Promise<void>;
}

/** What a piece waits for, and what waits for it. */
interface Turn {
  /** Settles when the pieces before are written. */
  readonly before: Promise<void>;
  readonly onSent: () => void;
  /** Of all of its records. */
  readonly looked?: LookedUp | undefined;
}

/** A piece was validated, and its units got their ids, before one before it was written anew with later ids. */
class DraftedEarlyError extends Error {
  override readonly name = 'DraftedEarlyError';
}

export class PieceWriter {
  /** Records so far. */
  count = 0;
  failed = 0;
  readonly results: Record<UpsertResult, number> = { created: 0, updated: 0, unchanged: 0, ignored: 0 };
  /** The first faults, by record. */
  readonly faults: ImportFault[] = [];
  /** Set once a reference led to no unit: from then on all of them are looked up before the write. */
  #lookUpAll = false;
  /** How often records were refused, so that the others of their piece were written anew. */
  #refusals = 0;
  readonly #keys = new SeenKeys();
  readonly #prepared = new WeakMap<readonly FileRecord[], PreparedPiece>();

  constructor(
    private readonly session: Omit<Session, 'executor'>,
    private readonly target: ImportTarget,
    private readonly tx: Transaction,
    private readonly newRuns: () => Transaction['runs'],
  ) {}

  /**
   * Prepares records that are written later, in the order of the file. @param lookUp whether their units are looked up
   * now, while PostgreSQL has nothing else to do. What is written before them must not change what they find.
   */
  prepare(records: readonly FileRecord[], lookUp: boolean): PreparedPiece {
    const noted: ImportFault[] = [];
    const complete = records.filter((each) => each.faults.length === 0);
    for (const each of records) if (each.faults.length > 0) note(noted, each, each.faults);
    const { single, rows } = this.#withoutRepeated(complete, noted);
    const looked = rows && (lookUp && rows.length > 0 ? this.#lookUp(single, rows) : { rows });
    const piece = { records: single, noted, looked };
    this.#prepared.set(records, piece);
    return piece;
  }

  /** If it fails, the upsert looks the units up again. */
  async #lookUp(records: readonly FileRecord[], rows: readonly KeyRow[]): Promise<LookedUp> {
    const { store, kind, upsert } = this.target;
    const session = { ...this.session, executor: readingAhead(this.tx) };
    const bodies = records.map(({ body }) => body);
    const found = store.upserts.lookUp(session, kind, bodies, upsert?.by ?? [], rows);
    return { rows, units: await found.catch(() => undefined) };
  }

  /**
   * Writes records. Their values may be validated before the ones before are written. @param before settles when they are
   */
  write(records: readonly FileRecord[], before: Promise<void>): WrittenPiece {
    let onSent = (): void => undefined;
    const sent = new Promise<void>((resolve) => (onSent = resolve));
    return { done: this.#write(records, { before, onSent }).finally(onSent), sent };
  }

  async #write(records: readonly FileRecord[], turn: Turn): Promise<void> {
    const { records: single, noted, looked } = this.#prepared.get(records) ?? this.prepare(records, false);
    const failed = await this.#insert(single, { ...turn, looked: await looked }, noted);
    await turn.before;
    this.count += records.length;
    this.failed += records.length - single.length + failed;
    noted.sort((a, b) => a.record - b.record);
    this.faults.push(...noted.slice(0, LIMITS.faults - this.faults.length));
  }

  /**
   * An upsert looks units up by a key, which each record of the file must have alone. Returns the keys too, unless one of
   * them has faults, which the upsert reports.
   */
  #withoutRepeated(
    records: readonly FileRecord[],
    noted: ImportFault[],
  ): { readonly single: readonly FileRecord[]; readonly rows?: readonly KeyRow[] } {
    const { kind, upsert } = this.target;
    if (!upsert) return { single: records };
    const { by } = upsert;
    const bodies = records.map(({ body }) => body);
    const rows = keyRows(kind, by, bodies, { faults: IGNORED_FAULTS, indexed: false });
    const [single, singleRows]: [FileRecord[], KeyRow[]] = [[], []];
    let isComplete = true;
    for (const [at, record] of records.entries()) {
      const row = rows[at] ?? {};
      const values = by.flatMap((field) => {
        const value = row[field.column ?? field.id];
        return value === undefined || value === null ? [] : [shownValue(field, value)];
      });
      if (values.length < by.length) isComplete = false;
      else if (this.#keys.add(JSON.stringify(values))) {
        const text = `${by.map(({ id }) => id).join(', ')}: an earlier record of the file has the same`;
        note(noted, record, [{ code: 'parameter.duplicate', text, parameter: by[0]?.id ?? '' }]);
        continue;
      }
      single.push(record);
      singleRows.push(row);
    }
    return { single, ...(isComplete && { rows: singleRows }) };
  }

  /** Returns the number of records with faults. */
  async #insert(records: readonly FileRecord[], turn: Turn, noted: ImportFault[]): Promise<number> {
    let failed = 0;
    for (let rest = records; rest.length > 0;) {
      // Those that were found are of all records.
      const refused = await this.#attempt(rest, rest === records ? turn : { ...turn, looked: undefined });
      if (!refused) return failed;
      const [only] = rest;
      if (only && rest.length === 1) {
        note(noted, only, refused);
        return failed + 1;
      }
      const faulty = new Map<number, RecordMessage[]>();
      for (const message of refused) {
        getOrInsert(faulty, message.index ?? -1, () => []).push(message);
      }
      // Without a position, or with as many faults as one refusal can have, halves tell more.
      const areKnown = !faulty.has(-1) && refused.length < LIMITS.faults;
      if (areKnown) {
        for (const [at, messages] of faulty) {
          const record = rest[at];
          if (record) note(noted, record, messages);
        }
        rest = rest.filter((_, at) => !faulty.has(at));
        failed += faulty.size;
      }
      const most = areKnown ? PIECE_RECORDS : Math.min(PIECE_RECORDS, Math.ceil(rest.length / 2));
      if (rest.length <= most) continue;
      // A large piece is not done and undone for each fault.
      for (let at = 0; at < rest.length; at += most) {
        failed += await this.#insert(rest.slice(at, at + most), { ...turn, looked: undefined }, noted);
      }
      return failed;
    }
    return failed;
  }

  /** Returns the faults of the records; undefined if they are stored. */
  async #attempt(records: readonly FileRecord[], turn: Turn): Promise<readonly RecordMessage[] | undefined> {
    try {
      return await this.#attemptOnce(records, turn);
    } catch (error) {
      if (error instanceof DraftedEarlyError) return this.#attemptOnce(records, turn);
      throw error;
    }
  }

  /** @throws DraftedEarlyError before anything is written */
  async #attemptOnce(records: readonly FileRecord[], turn: Turn): Promise<readonly RecordMessage[] | undefined> {
    const { store, kind, access, keepIds, upsert } = this.target;
    const { onSent, looked } = turn;
    const refusals = this.#refusals;
    const before = turn.before.then(() => {
      if (this.#refusals !== refusals) throw new DraftedEarlyError();
    });
    before.catch(() => undefined);
    const done = { created: 0, updated: 0, unchanged: 0, ignored: 0 };
    const runs = this.newRuns();
    const piece = this.tx.part({ runs, before, onSent });
    const session = { ...this.session, executor: piece };
    const bodies = records.map(({ body }) => body);
    const options: WriteOptions = { bulk: true, access, answers: false, keepIds, lookUpAll: this.#lookUpAll };
    try {
      await withCompleteRefusal(piece, async () => {
        try {
          if (upsert) {
            const query = { query: upsert.query, faults: [] };
            for (const { result } of await store.upserts.upsert(session, kind, bodies, query, {
              bulk: true,
              answers: false,
              looked,
            }))
              done[result] += 1;
          } else {
            await store.creates.create(session, kind, bodies, options);
            done.created = bodies.length;
          }
        } catch (error) {
          if (isOfRecords(error)) await piece.undo();
          throw error;
        }
      });
      await piece.keep();
      this.tx.runs.onEnd(() => runs.end());
      for (const result of RESULTS) this.results[result] += done[result];
      return undefined;
    } catch (error) {
      if (!isOfRecords(error)) throw error;
      await piece.keep();
      this.#refusals += 1;
      const messages = error instanceof KindError ? error.messages : [messageOf(error)];
      this.#lookUpAll ||= messages.some(({ code }) => code === 'parameter.bad_reference');
      return messages;
    }
  }
}

function note(
  noted: ImportFault[],
  { line, record }: FileRecord,
  messages: readonly Omit<RecordMessage, 'line' | 'record'>[],
): void {
  for (const { code, text, parameter, check } of messages) {
    const of = { ...(parameter !== undefined && { parameter }), ...(check !== undefined && { check }) };
    noted.push({ code, text, ...of, line, record });
  }
}

function isOfRecords(error: unknown): error is KindError | FunctionError {
  return error instanceof FunctionError
    ? error.status < 500
    : error instanceof KindError && OF_RECORDS.has(error.status);
}

function messageOf({ code, text, parameter, index }: FunctionError): RecordMessage {
  return { code, text, ...(parameter !== undefined && { parameter }), ...(index !== undefined && { index }) };
}
