/**
 * Writes the records of a file, some at once, with the code of bulk creates. Where PostgreSQL or a hook refuses
 * some of them, what these did is undone, their faults are noted, and the others are written without them.
 */
import type { Transaction } from '../database/database.js';
import { FunctionError } from '../kit/function-error.js';
import type { KindDef } from '../model/model.js';
import type { Predicate } from '../model/predicate/predicate.js';
import { KindError, type Message } from '../shared/errors.js';
import { getOrInsert } from '../shared/get-or-insert.js';
import { LIMITS } from '../shared/limits.js';
import { withCompleteRefusal } from '../unit/draft/complete-refusal.js';
import type { Session } from '../unit/session/session.js';
import type { UnitStore, WriteOptions } from '../unit/store/unit-store.js';
import type { FileRecord } from './file-record.js';
import { PieceTransaction } from './piece-transaction.js';

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

export interface ImportTarget {
  readonly store: Pick<UnitStore, 'insert'>;
  readonly kind: KindDef;
  readonly access: Predicate | undefined;
  readonly keepIds: boolean;
}

export class PieceWriter {
  created = 0;
  failed = 0;
  /** The first faults, by record. */
  readonly faults: ImportFault[] = [];
  /** Set once a reference led to no unit: from then on all of them are looked up before the write. */
  #lookUpAll = false;

  constructor(
    private readonly session: Omit<Session, 'executor'>,
    private readonly target: ImportTarget,
    private readonly tx: Transaction,
    private readonly newRuns: () => Transaction['runs'],
  ) {}

  /**
   * Writes records. Their values may be validated before the ones before are written. @param before settles when they are
   */
  async write(records: readonly FileRecord[], before: Promise<void>): Promise<void> {
    const noted: ImportFault[] = [];
    const complete = records.filter((each) => each.faults.length === 0);
    for (const each of records) if (each.faults.length > 0) note(noted, each, each.faults);
    const failed = await this.#insert(complete, before, noted);
    await before;
    this.created += complete.length - failed;
    this.failed += records.length - complete.length + failed;
    noted.sort((a, b) => a.record - b.record);
    this.faults.push(...noted.slice(0, LIMITS.faults - this.faults.length));
  }

  /** Returns the number of records with faults. */
  async #insert(records: readonly FileRecord[], before: Promise<void>, noted: ImportFault[]): Promise<number> {
    let failed = 0;
    for (let rest = records; rest.length > 0;) {
      const refused = await this.#attempt(rest, before);
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
      if (faulty.has(-1) || refused.length >= LIMITS.faults) {
        const half = Math.ceil(rest.length / 2);
        failed += await this.#insert(rest.slice(0, half), before, noted);
        rest = rest.slice(half);
        continue;
      }
      for (const [at, messages] of faulty) {
        const record = rest[at];
        if (record) note(noted, record, messages);
      }
      rest = rest.filter((_, at) => !faulty.has(at));
      failed += faulty.size;
    }
    return failed;
  }

  /** Returns the faults of the records; undefined if they are stored. */
  async #attempt(records: readonly FileRecord[], before: Promise<void>): Promise<readonly RecordMessage[] | undefined> {
    const { store, kind, access, keepIds } = this.target;
    const piece = new PieceTransaction(this.tx, this.newRuns(), before);
    const session = { ...this.session, executor: piece };
    const bodies = records.map(({ body }) => body);
    const options: WriteOptions = { bulk: true, access, answers: false, keepIds, lookUpAll: this.#lookUpAll };
    try {
      await withCompleteRefusal(piece, async () => {
        try {
          await store.insert(session, kind, bodies, options);
        } catch (error) {
          if (isOfRecords(error)) await piece.undo();
          throw error;
        }
      });
      await piece.keep();
      return undefined;
    } catch (error) {
      if (!isOfRecords(error)) throw error;
      await piece.keep();
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
  for (const { code, text, parameter } of messages) {
    noted.push({ code, text, ...(parameter !== undefined && { parameter }), line, record });
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
