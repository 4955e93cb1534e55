/** The commands of resumable uploads: tus 1.0.0 with creation, creation-with-upload, expiration and termination. */
import { Injectable } from '@nestjs/common';
import { accessDenied } from '../../access/level.js';
import { Catalog } from '../../catalog/catalog.service.js';
import { inTransaction, withAhead } from '../../catalog/session/executors.js';
import type { Session } from '../../catalog/session/session.js';
import { Database } from '../../database/database.js';
import type { Answer } from '../../http/answer/answer.js';
import { ParsedBody } from '../../http/body/read-body.js';
import { FILE_HEADER, TUS } from '../../http/header-names.js';
import type { HttpRequest } from '../../http/request/request.js';
import { readQuery } from '../../http/route/parse-list-query.js';
import { NO_QUERY } from '../../http/route/query-names.js';
import { FunctionError } from '../../kit/function-error.js';
import { FILE_KIND } from '../../model/built-in-traits.js';
import { CONTENT_FIELD } from '../../model/built-in/file-fields.js';
import type { Command, Opened } from '../../run/command.js';
import { Faults, KindError, methodNotAllowed, refusal } from '../../shared/errors.js';
import { isUuid } from '../../shared/identifiers.js';
import { parsedObject } from '../../shared/json.js';
import { byteSizeText } from '../../shared/texts.js';
import type { UploadRow } from '../../sql/file/upload.sql.js';
import { Behaviors } from '../../unit/draft/behavior.js';
import { countingDefaults } from '../../unit/draft/default-bytes.js';
import { bodyOf } from '../../unit/draft/draft.js';
import { Drafter } from '../../unit/draft/drafter.js';
import { WriteCommands } from '../../unit/write.commands.js';
import { ContentAnswer } from '../content.answer.js';
import { requireContents } from '../contents.js';
import { refuseEncoded, Uploads } from '../uploads.js';
import { ResumableUploads, type CreateFile, type MemberSession } from './resumable-uploads.js';
import { type UploadHold, unknownUpload } from './upload-hold.js';
import { parseMetadata, type UploadMetadata } from './upload-metadata.js';

const PART_TYPE = 'application/offset+octet-stream';

@Injectable()
export class ResumableCommands {
  constructor(
    private readonly catalog: Catalog,
    private readonly database: Database,
    private readonly behaviors: Behaviors,
    private readonly drafter: Drafter,
    private readonly resumable: ResumableUploads,
    private readonly units: WriteCommands,
    private readonly uploads: Uploads,
  ) {}

  /** Begins an upload, with its first part if the request has one. */
  create(request: HttpRequest): Command {
    return this.#command(request, async (session) => {
      const length = wholeNumber(request, TUS.length);
      const limit = this.uploads.limitOf(session.caller);
      if (length > limit) throw refusal('body.too_large', `A file has at most ${byteSizeText(limit)} here`);
      const metadata = String(request.headers[TUS.metadata] ?? '');
      await this.#checkValues(session, parseMetadata(metadata));
      if (hasContent(request)) requirePartType(request);
      const begun = await this.resumable.begin(session, metadata, length);
      const upload = hasContent(request) || length === 0 ? await this.#firstPart(session, begun, request) : begun;
      const fields = { Location: `${request.path}/${upload.id}`, 'Content-Length': 0, ...fieldsOf(upload) };
      return new ContentAnswer(201, fields, undefined);
    });
  }

  /** What is wrong with the values, so that nothing is sent in vain. Hooks, rules and the content come at the end. */
  async #checkValues(session: MemberSession, { name, values }: UploadMetadata): Promise<void> {
    const { kind } = requireContents(session, 'create');
    const faults = new Faults();
    const body = bodyOf({ ...values, name });
    await countingDefaults(session, (defaults) =>
      this.drafter.creates(session, kind, [body], { writer: session.caller, faults, defaults, bulk: false }),
    );
    const [first, ...rest] = faults.messages.filter(({ parameter }) => parameter !== CONTENT_FIELD);
    if (first) throw new KindError([first, ...rest]);
  }

  /** What a client gets no address of goes at once. */
  async #firstPart(session: MemberSession, { id }: UploadRow, request: HttpRequest): Promise<UploadRow> {
    try {
      const upload = await this.#append(session, id, request, (row, hold) =>
        this.resumable.append(session, row, hold, request),
      );
      if (request.res?.destroyed !== true || upload.file !== null) return upload;
      await this.resumable.remove(session, id);
      return upload;
    } catch (error) {
      await this.resumable.remove(session, id).catch(() => undefined);
      throw error;
    }
  }

  /** Says how far an upload is. */
  tell(id: string, request: HttpRequest): Command {
    return this.#command(request, async (session) => {
      const upload = await this.resumable.holding(session, uploadId(id), (row) => Promise.resolve(row));
      const { length, metadata } = upload;
      const more = { 'Upload-Length': length, ...(metadata !== '' && { 'Upload-Metadata': metadata }) };
      return new ContentAnswer(200, { 'Content-Length': 0, ...more, ...fieldsOf(upload) }, undefined);
    });
  }

  append(id: string, request: HttpRequest): Command {
    return this.#command(request, async (session) => {
      requirePartType(request);
      const offset = wholeNumber(request, TUS.offset);
      const upload = await this.#append(session, uploadId(id), request, async (row, hold) => {
        const length = Number(row.length);
        const isWhole = row.file !== null || row.stored === row.length;
        if (offset !== toldOffset(row) && !(isWhole && offset === length)) {
          throw refusal('file.wrong_offset', `The upload is at offset ${toldOffset(row)}, not at ${offset}`);
        }
        return isWhole ? row : this.resumable.append(session, row, hold, request);
      });
      return new ContentAnswer(204, fieldsOf(upload), undefined);
    });
  }

  remove(id: string, request: HttpRequest): Command {
    return this.#command(request, async (session) => {
      await this.resumable.remove(session, uploadId(id));
      return new ContentAnswer(204, {}, undefined);
    });
  }

  /** For clients that have no other method than POST. */
  override(id: string, request: HttpRequest): Command {
    switch (request.headers[TUS.method]) {
      case 'PATCH':
        return this.append(id, request);
      case 'DELETE':
        return this.remove(id, request);
      case 'HEAD':
        return this.tell(id, request);
      default:
        throw methodNotAllowed('An upload takes HEAD, PATCH and DELETE', ['HEAD', 'PATCH', 'DELETE']);
    }
  }

  /** Done once: a part is not sent again where the model changes meanwhile. */
  #command(request: HttpRequest, run: (session: MemberSession) => Promise<Answer>): Command {
    return {
      authorize: (opened) => {
        requireContents(opened, 'create');
        if (opened.caller.type !== 'member') throw accessDenied(opened.caller, 'Resumable uploads are of members');
        this.#creation(request, opened);
        readQuery(request.url, NO_QUERY);
        refuseExtensions(request);
        return {
          effect: 'stream',
          kindId: FILE_KIND,
          once: true,
          run: (session) => run(session as MemberSession),
        };
      },
    };
  }

  #creation({ path }: HttpRequest, opened: Opened) {
    const request = { url: path, contentType: undefined, ifMatch: undefined };
    return this.units.create(FILE_KIND, request).authorize(opened);
  }

  /** Adds a part, and makes the file when it was the last one. @returns the upload as it is then */
  #append(
    session: MemberSession,
    id: string,
    request: HttpRequest,
    add: (upload: UploadRow, hold: UploadHold) => Promise<UploadRow>,
  ): Promise<UploadRow> {
    return this.resumable.holding(session, id, (before, hold) =>
      this.uploads.inPlace(session, async () => {
        const upload = await add(before, hold);
        if (upload.file !== null || upload.stored !== upload.length) return upload;
        try {
          const file = await this.resumable.finish(session, upload, hold, this.#creator(session, request));
          return { ...upload, file };
        } catch (error) {
          // It would be refused again.
          if (isFinal(error)) await this.resumable.remove(session, id);
          throw error;
        }
      }),
    );
  }

  /** With the model of then, which may be another one than when the upload began. */
  #creator(session: Session, request: HttpRequest): CreateFile {
    return async (values, content, around) => {
      await this.uploads.checkCaller(session);
      return this.catalog.withModel(session, async (model) => {
        const now = { ...session, model };
        const { kind } = requireContents(now, 'create');
        const plan = this.#creation(request, now);
        const long = this.behaviors.haveHooks(kind, now);
        const given = new ParsedBody({ ...values, [CONTENT_FIELD]: content });
        return withAhead(plan, now, given, (body) =>
          inTransaction(this.database, now, { long }, (within) =>
            around(within, async () => {
              const { content: unit } = await plan.run(within, body);
              return String(parsedObject(unit)?.['id']);
            }),
          ),
        );
      });
    };
  }
}

/** Whether it would be refused again: for what is in it, or by a hook. */
function isFinal(error: unknown): boolean {
  return error instanceof FunctionError ? error.status < 500 : error instanceof KindError && error.status === 400;
}

/** @throws KindError 404 */
function uploadId(text: string): string {
  if (!isUuid(text)) throw unknownUpload();
  return text;
}

/**
 * Where a client goes on. Of an upload whose bytes are all there and whose file is not, as it was cut off in between, the
 * last byte is asked for again: clients take an upload for done that is at its end.
 */
function toldOffset({ length, stored, file }: UploadRow): number {
  if (file !== null) return Number(length);
  return Math.min(Number(stored), Math.max(Number(length) - 1, 0));
}

function fieldsOf(upload: UploadRow): Readonly<Record<string, string | number>> {
  const { file, expires } = upload;
  return {
    'Upload-Offset': toldOffset(upload),
    'Upload-Expires': new Date(expires).toUTCString(),
    ...(file !== null && { [FILE_HEADER]: file }),
  };
}

/** A client that asks for more than there is would take the file for another one. @throws KindError 400 */
function refuseExtensions({ headers }: HttpRequest): void {
  const name = ['upload-checksum', 'upload-concat'].find((each) => headers[each] !== undefined);
  if (name === undefined) return;
  throw refusal('header.bad_value', `${name}: this extension of tus is not among Tus-Extension`, { parameter: name });
}

/** The number in a header. @throws KindError 400 */
function wholeNumber({ headers }: HttpRequest, name: string): number {
  const text = headers[name];
  if (typeof text === 'string' && /^\d{1,15}$/.test(text)) return Number(text);
  throw refusal('header.bad_value', `${name} must be a whole number of bytes`, { parameter: name });
}

function hasContent({ headers }: HttpRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function requirePartType({ headers }: HttpRequest): void {
  refuseEncoded(headers['content-encoding']);
  if (headers['content-type'] === PART_TYPE) return;
  throw refusal('body.not_json', `The content-type of a part must be ${PART_TYPE}`);
}
