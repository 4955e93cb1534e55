/**
 * Imports a file of units: a command that checks rights, state and query, then reads the file in pieces and creates the
 * units of each, all in one transaction. After a conflict with another transaction, or a change of the definitions, it
 * begins again with what has arrived of the file.
 */
import { Injectable } from '@nestjs/common';
import { authorizeKind } from '../access/access.js';
import { accessDenied } from '../access/level.js';
import { refuseTogether } from '../access/written-alone.js';
import { Database, type Transaction } from '../database/database.js';
import { jsonAnswer, type Answer } from '../http/answer/answer.js';
import type { HttpRequest } from '../http/request/request.js';
import type { QueryParameters } from '../http/route/parse-list-query.js';
import { KindError, refusal, type Message } from '../shared/errors.js';
import { LIMITS } from '../shared/limits.js';
import { lockTimeoutStatement } from '../sql/server/transaction.sql.js';
import { CallerResolver, isAdministrator } from '../tenancy/caller.js';
import type { RequestScope } from '../tenancy/request-scope.js';
import { Behaviors } from '../unit/draft/behavior.js';
import { refuseContents } from '../unit/table/rights.js';
import { upsertKey } from '../unit/table/write/upsert.js';
import { planQuery } from '../unit/query/list.plan.js';
import { usedBy } from '../catalog/session/executors.js';
import { withOrigin, type Session } from '../catalog/session/session.js';
import type { Command, Opened, StreamKey } from '../run/command.js';
import { KeyedRuns, type RunOptions } from '../run/keyed-run.js';
import { Runner } from '../run/runner.js';
import { UnitStores } from '../unit/unit-stores.js';
import { CsvReader, csvHeaderOf } from './file/csv.reader.js';
import { TRANSFER_IDLE } from './export.service.js';
import { PIECE_RECORDS, piecesOf, ReadAhead } from './file/file-pieces.js';
import type { FileReader, FileRecord } from './file/file-record.js';
import type { FileFormat } from './file/file-formats.js';
import { asksForUpsert, importFormat, parseImportQuery } from './transfer.query.js';
import { NdjsonReader } from './file/ndjson.reader.js';
import { PieceWriter, type ImportFault, type ImportTarget } from './piece.writer.js';
import type { FileText } from './file/imported-text.js';
import { RepeatedText } from './file/repeated-text.js';
import { ConcurrentTransfers } from './concurrent-transfers.js';

/** Milliseconds that a statement waits for a lock. */
const LOCK_TIMEOUT = 10_000;

interface ImportRequest {
  readonly parameters: QueryParameters;
  readonly contentType: string | undefined;
  /** Begins to read the file. Called once, after all checks. @throws KindError 415 */
  readonly file: () => FileText;
  /** Characters of the file to receive before the transaction begins, because a client may keep it waiting. */
  readonly ahead?: number;
  /** Called after each piece with the number of records read so far. */
  readonly onProgress?: (records: number) => void;
  /** With an idempotency key: its request. */
  readonly keyed?: { readonly request: HttpRequest; readonly options: RunOptions };
  /** Whether nobody waits for the answer any more. */
  readonly isGone?: () => boolean;
  /** Called before the file is read, if the import is undone at its end. */
  readonly onDryRun?: () => void;
}

/** An import whose rights, state and query are checked. */
interface CheckedImport {
  readonly target: ImportTarget;
  readonly format: FileFormat | undefined;
  readonly skip: boolean;
  readonly dryRun: boolean;
  /** Whether code of the project runs for each unit, which must not run for two pieces at the same time. */
  readonly hooks: boolean;
  /** Records that are written at once. */
  readonly pieceRecords: number;
}

/** One run of an import with one model. */
interface ImportRun extends CheckedImport {
  readonly session: Session;
  readonly newReader: () => FileReader;
  /** Whether units of an upsert are looked up while those before them are written, because these change no others. */
  readonly lookAhead: boolean;
  readonly text: RepeatedText;
  /** When it must have ended, as `performance.now()` tells it. */
  readonly until: number;
  /** Called after each piece. @throws KindError if the import has to end */
  readonly onProgress: (records: number) => void;
}

@Injectable()
export class ImportService {
  constructor(
    private readonly runner: Runner,
    private readonly keyedRuns: KeyedRuns,
    private readonly database: Database,
    private readonly stores: UnitStores,
    private readonly behaviors: Behaviors,
    private readonly places: ConcurrentTransfers,
    private readonly callers: CallerResolver,
  ) {}

  /** @throws KindError 400 with the first faults of the file; nothing is stored then */
  async import(scope: RequestScope, kindId: string, request: ImportRequest): Promise<Answer> {
    const until = performance.now() + LIMITS.transferSeconds * 1000;
    // What has arrived is kept for a run with a newer model.
    let text: RepeatedText | undefined;
    const command: Command = {
      authorize: (opened) => {
        const checked = this.#check(opened, kindId, request.parameters);
        return {
          effect: 'stream',
          shows: 'free',
          checked: true,
          run: async (session, _, key) => {
            if (checked.dryRun) request.onDryRun?.();
            const isCsv = importFormat(checked.format, request.contentType) === 'csv';
            const file = (text ??= await this.#arrived(scope, request));
            if (key) key.hash = () => (file.ended ? file.hash : undefined);
            const { kind, keepIds, upsert } = checked.target;
            const header = csvHeaderOf(kind, session, keepIds);
            return this.places.run(scope, file.client, () => {
              const keeps = key !== undefined && !checked.dryRun;
              const onProgress = (records: number): void => {
                request.onProgress?.(records);
                // With a key the answer is kept, and the client may ask for it again.
                if (!keeps && request.isGone?.()) throw refusal('body.malformed', 'The client has gone');
              };
              const most = performance.now() + LIMITS.transferTransactionSeconds * 1000;
              const run = {
                ...checked,
                session: withOrigin(session, 'import'),
                newReader: () => (isCsv ? new CsvReader(header) : new NdjsonReader()),
                // Bodies of NDJSON can have units inside.
                lookAhead: upsert !== undefined && isCsv && !checked.hooks,
                text: file,
                // Only commands receive nothing ahead.
                until: request.ahead === undefined ? until : Math.min(until, most),
                onProgress,
              };
              return this.#import(run, keeps ? key : undefined);
            });
          },
        };
      },
    };
    const { keyed } = request;
    const run = (now: RequestScope): Promise<Answer> => {
      const work = this.runner.begin(now, command);
      return keyed ? this.keyedRuns.run(keyed.request, work, keyed.options) : this.runner.run(work);
    };
    try {
      return await this.callers.runAsNow(scope, run);
    } finally {
      await text?.close();
    }
  }

  /** The file, of which so much has arrived that its client keeps no transaction waiting, unless it is very large. */
  #arrived(scope: RequestScope, { file, ahead = 0, keyed }: ImportRequest): Promise<RepeatedText> {
    return this.places.arriving(scope, async () => {
      const text = new RepeatedText(file(), keyed !== undefined);
      await text.arriveAhead(ahead);
      return text;
    });
  }

  #check(opened: Opened, kindId: string, parameters: QueryParameters): CheckedImport {
    const { caller, model } = opened;
    const rights = asksForUpsert(parameters) ? (['create', 'update'] as const) : 'create';
    const { kind, grant } = authorizeKind(model, kindId, rights, caller);
    if (caller.type === 'anonymous') throw accessDenied(caller, '');
    refuseTogether(kind);
    if (!kind.storage.bulk) throw refusal('kind.not_allowed_here', `Units of '${kind.id}' are not imported`);
    refuseContents(kind, 'imported');
    const store = this.stores.of(kind);
    store.checkState(kind, opened, 'create');
    const behaviors = this.behaviors.of(kind, opened);
    for (const behavior of behaviors) behavior.ready?.();
    const { keepIds, upsert, ...rest } = planQuery(parseImportQuery(parameters), (query) => ({
      ...query,
      upsert: query.upsert && { query: query.upsert, by: upsertKey(kind, query.upsert.by, caller, model) },
    }));
    if (keepIds && !isAdministrator(caller)) throw accessDenied(caller, 'Only administrators import with ids=keep');
    const edits = upsert?.query.onConflict === 'update';
    return {
      ...rest,
      target: { store, kind, access: grant.predicate, keepIds, upsert },
      hooks: behaviors.length > 0,
      pieceRecords: edits && this.behaviors.takeManyEdits(kind, opened) ? LIMITS.bulk : PIECE_RECORDS,
    };
  }

  async #import(run: ImportRun, key: StreamKey | undefined): Promise<Answer> {
    const { session, target, text, until, pieceRecords: most } = run;
    const { store, kind, upsert } = target;
    const { schema } = session.project;
    const read = () => new ReadAhead(piecesOf(text.read(), run.newReader(), { most, schema }));
    const options = {
      ...usedBy(session),
      isolation: upsert ? 'repeatable read' : (store.isolation(session, kind, 'create') ?? 'read committed'),
      long: true,
      undo: run.dryRun,
      timeout: Math.max(0, until - performance.now()),
      lockTimeout: LOCK_TIMEOUT,
      idleTimeout: TRANSFER_IDLE,
      // The next run begins with locks, which must not wait for the client.
      beforeNextRun: () => text.arrive(),
    } as const;
    let first: ReadAhead | undefined = read();
    // The transaction begins when there is something to write, or to take the key.
    if (!key) await first.start();
    const answer = await this.database.transaction((tx) => {
      const pieces = first ?? read();
      first = undefined;
      const write = () => this.#write(tx, run, pieces);
      return key ? key.inside(tx, session.model.version, write) : write();
    }, options);
    // The file of a request that was answered before has to arrive, to be compared. No transaction waits for it.
    if (key && !text.ended) await text.skip();
    return answer;
  }

  async #write(tx: Transaction, run: ImportRun, pieces: ReadAhead): Promise<Answer> {
    const { session, target, skip, hooks, lookAhead, until, onProgress } = run;
    await tx.run(lockTimeoutStatement(LOCK_TIMEOUT));
    const writer = new PieceWriter(session, target, tx, () => this.database.runs());
    const check = (): void => {
      if (!skip && writer.faults.length >= LIMITS.faults) throw faultsOf(writer.faults);
      onProgress(writer.count);
      if (performance.now() <= until) return;
      throw refusal('query.timeout', 'The import takes too long: split the file');
    };
    if (target.upsert) await pieces.each((piece) => void writer.prepare(piece, lookAhead));
    // While PostgreSQL works on one piece, the values of the next one are validated.
    let before = Promise.resolve();
    const nextPiece = async (): Promise<FileRecord[] | undefined> => {
      try {
        return await pieces.next();
      } catch (error) {
        if (skip || !(error instanceof KindError) || error.code !== 'import.malformed') throw error;
        // The faults of the records before it come first.
        await before;
        throw faultsOf([...writer.faults, ...error.messages]);
      }
    };
    for (let piece = await nextPiece(); piece; piece = await nextPiece()) {
      if (hooks) await before;
      const { done, sent } = writer.write(piece, before);
      const writing = done.then(check);
      writing.catch(() => undefined);
      await before;
      // Validating the next one would delay the sending of this one.
      await sent;
      before = writing;
    }
    await before;
    await this.callers.checkStays(session.project, session.caller);
    const { count, results, failed, faults } = writer;
    if (!skip && faults.length > 0) throw faultsOf(faults);
    return jsonAnswer({ count, ...results, failed, errors: faults });
  }
}

/** The refusal of a file. Hooks have codes of their own. */
function faultsOf(faults: readonly (ImportFault | Message)[]): KindError {
  return new KindError(faults as [Message, ...Message[]], undefined, { status: 400 });
}
