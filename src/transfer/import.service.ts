/**
 * Imports a file of units: checks rights, state and input, then reads the file in pieces and creates the units of each,
 * all in one transaction. After a conflict with another transaction, or a change of the definitions, it begins again with
 * what has arrived of the file.
 */
import { Injectable } from '@nestjs/common';
import { accessDenied, authorizeKind } from '../access/access.js';
import { Catalog } from '../catalog/catalog.service.js';
import { Database, type Transaction } from '../database/database.js';
import { commonRefusal } from '../database/statement/sqlstate.js';
import { jsonAnswer, NULL_ANSWER, type Answer } from '../http/answer/answer.js';
import type { QueryParameters } from '../http/route/parse-list-query.js';
import type { Model } from '../model/model.js';
import { KindError, refusal, type Message } from '../shared/errors.js';
import { LIMITS } from '../shared/limits.js';
import { lockTimeoutStatement, type Isolation } from '../sql/server/transaction.sql.js';
import { isAdministrator } from '../tenancy/caller.js';
import type { RequestScope } from '../tenancy/request-scope.js';
import { Behaviors } from '../unit/draft/behavior.js';
import { upsertKey } from '../unit/draft/upsert-keys.js';
import { planQuery } from '../unit/query/list.plan.js';
import { requestIdOf, usedBy } from '../catalog/session/caller-executor.js';
import type { Session } from '../catalog/session/session.js';
import { KeptAnswers, keyId } from '../run/kept-answers.js';
import { UnitStores } from '../unit/unit-stores.js';
import { csvHeaderOf } from './file/csv.columns.js';
import { CsvReader } from './file/csv.reader.js';
import { TRANSFER_IDLE } from './export.service.js';
import { piecesOf, ReadAhead } from './file/file-pieces.js';
import type { FileReader, FileRecord } from './file/file-record.js';
import { asksForUpsert, importFormat, parseImportQuery } from './import.query.js';
import { NdjsonReader } from './file/ndjson.reader.js';
import { PieceWriter, type ImportFault, type ImportTarget } from './piece.writer.js';
import type { FileText } from './file/file-text.js';
import { RepeatedText } from './file/repeated-text.js';
import { ImportKey, type GivenKey, type KeyOptions } from './import-key.js';
import { TransferPlaces } from './transfer-places.js';

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
  readonly key?: GivenKey;
  /** Called before the file is read, if the import is undone at its end. */
  readonly onDryRun?: () => void;
}

/** An import whose rights and input are checked. */
interface CheckedImport {
  readonly session: Omit<Session, 'executor'>;
  readonly target: ImportTarget;
  readonly newReader: () => FileReader;
  readonly skip: boolean;
  readonly dryRun: boolean;
  /** Whether code of the project runs for each unit, which must not run for two pieces at the same time. */
  readonly hooks: boolean;
  /** Whether units of an upsert are looked up while those before them are written, because these change no others. */
  readonly lookAhead: boolean;
  readonly isolation: Isolation;
  readonly onProgress: (records: number) => void;
  readonly key: KeyOptions | undefined;
}

@Injectable()
export class ImportService {
  constructor(
    private readonly catalog: Catalog,
    private readonly database: Database,
    private readonly stores: UnitStores,
    private readonly behaviors: Behaviors,
    private readonly places: TransferPlaces,
    private readonly kept: KeptAnswers,
  ) {}

  /** @throws KindError 400 with the first faults of the file; nothing is stored then */
  async import(scope: RequestScope, kindId: string, request: ImportRequest): Promise<Answer> {
    let text: RepeatedText | undefined;
    const until = performance.now() + LIMITS.transferSeconds * 1000;
    try {
      return await this.catalog.withModel(scope, async (model) => {
        await this.catalog.check(scope, model);
        const checked = this.#check(scope, kindId, request, model);
        text ??= await this.#arrived(scope, request, checked.key !== undefined);
        const { client } = text;
        return this.places.run(scope, client, () => {
          const most = performance.now() + LIMITS.transferTransactionSeconds * 1000;
          // Only commands receive nothing ahead.
          const end = request.ahead === undefined ? until : Math.min(until, most);
          return this.#import(checked, text as RepeatedText, end);
        });
      });
    } finally {
      await text?.close();
    }
  }

  /** The file, of which so much has arrived that its client keeps no transaction waiting, unless it is very large. */
  #arrived(scope: RequestScope, { file, ahead = 0 }: ImportRequest, hashed: boolean): Promise<RepeatedText> {
    return this.places.arriving(scope, async () => {
      const text = new RepeatedText(file(), hashed);
      await text.arriveAhead(ahead);
      return text;
    });
  }

  #check(scope: RequestScope, kindId: string, request: ImportRequest, model: Model): CheckedImport {
    const { project, caller } = scope;
    const rights = asksForUpsert(request.parameters) ? (['create', 'update'] as const) : 'create';
    const { kind, grant } = authorizeKind(model, kindId, rights, caller);
    if (caller.type === 'anonymous') throw accessDenied(caller, '');
    if (!kind.storage.bulk) throw refusal('kind.not_allowed_here', `Units of '${kind.id}' are not imported`);
    const session = { project, caller, ...requestIdOf(scope), model, ...this.behaviors.deployment };
    const store = this.stores.of(kind);
    store.checkState(kind, session, 'create');
    const behaviors = this.behaviors.of(kind, session);
    for (const behavior of behaviors) behavior.ready?.();
    const { format, skip, keepIds, upsert, dryRun } = planQuery(parseImportQuery(request.parameters), (query) => ({
      ...query,
      upsert: query.upsert && { query: query.upsert, by: upsertKey(kind, query.upsert.by, caller, model) },
    }));
    if (keepIds && !isAdministrator(caller)) throw accessDenied(caller, 'Only administrators import with ids=keep');
    const id = request.key && keyId(request.key.key, caller);
    if (dryRun) request.onDryRun?.();
    const isCsv = importFormat(format, request.contentType) === 'csv';
    const header = csvHeaderOf(kind, { caller, model }, keepIds);
    return {
      session,
      target: { store, kind, access: grant.predicate, keepIds, upsert },
      newReader: () => (isCsv ? new CsvReader(header) : new NdjsonReader()),
      skip,
      dryRun,
      hooks: behaviors.length > 0,
      // Bodies of NDJSON can have units inside.
      lookAhead: upsert !== undefined && isCsv && behaviors.length === 0,
      isolation: upsert ? 'repeatable read' : (store.isolation(session, kind, 'create') ?? 'read committed'),
      onProgress: request.onProgress ?? (() => undefined),
      key: request.key && id !== undefined && !dryRun ? { project, id, given: request.key } : undefined,
    };
  }

  async #import(checked: CheckedImport, text: RepeatedText, until: number): Promise<Answer> {
    const { session, isolation, dryRun: undo } = checked;
    const read = () => new ReadAhead(piecesOf(text.read(), checked.newReader(), session.project.schema));
    const times = {
      timeout: Math.max(0, until - performance.now()),
      lockTimeout: LOCK_TIMEOUT,
      idleTimeout: TRANSFER_IDLE,
    };
    // The next run begins with locks, which must not wait for the client.
    const beforeNextRun = () => text.arrive();
    const options = { ...usedBy(session), ...times, isolation, long: true, undo, beforeNextRun };
    const key = checked.key && new ImportKey(this.kept, checked.key, text);
    try {
      let first: ReadAhead | undefined = read();
      // The transaction begins when there is something to write, or to take the key.
      if (!key) await first.start();
      const answer = await this.database.transaction(async (tx) => {
        const pieces = first ?? read();
        first = undefined;
        if (key && !(await key.claim(tx))) return NULL_ANSWER;
        const written = await this.#write(tx, checked, pieces, until);
        await key?.keep(tx, written);
        return written;
      }, options);
      return key ? await key.repeatedOr(answer) : answer;
    } catch (error) {
      const refused = commonRefusal(error) ?? error;
      await key?.keepRefusal(refused);
      throw refused;
    }
  }

  async #write(tx: Transaction, checked: CheckedImport, pieces: ReadAhead, until: number): Promise<Answer> {
    const { session, target, skip, hooks, lookAhead, onProgress } = checked;
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
    const { count, results, failed, faults } = writer;
    if (!skip && faults.length > 0) throw faultsOf(faults);
    return jsonAnswer({ count, ...results, failed, errors: faults });
  }
}

/** The refusal of a file. Hooks have codes of their own. */
function faultsOf(faults: readonly (ImportFault | Message)[]): KindError {
  return new KindError(faults as [Message, ...Message[]], undefined, { status: 400 });
}
