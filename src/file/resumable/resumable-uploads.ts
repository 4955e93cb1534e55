/**
 * Uploads that go on where they were broken off. What a request brings is a part, which is an object of its own; when all
 * parts are there, they are read one after the other as the content of a file.
 */
import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ExpiredRows } from '../../catalog/project/expired-rows.js';
import { inTransaction } from '../../catalog/session/executors.js';
import type { Session } from '../../catalog/session/session.js';
import { Database } from '../../database/database.js';
import type { HttpRequest } from '../../http/request/request.js';
import { UPLOAD_TABLE } from '../../model/table/internal-tables.js';
import { refusal } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import { contentBytesStatement, type ContentBytesRow, lockFilesStatement } from '../../sql/file/files.sql.js';
import type { UntakenObject } from '../../sql/file/object.sql.js';
import {
  addPartStatement,
  beginUploadStatement,
  deleteUploadStatement,
  emptyUploadStatement,
  endUploadStatement,
  openUploadsStatement,
  partsStatement,
  raiseUploadStatement,
  type UploadRow,
} from '../../sql/file/upload.sql.js';
import type { MemberCaller } from '../../tenancy/caller.js';
import { UnitQuota } from '../../unit/table/write/unit-quota.js';
import { NewContents } from '../new-contents.js';
import { Objects } from '../objects.js';
import type { StoredContent } from '../stored-content.js';
import { ReceivedPart } from './received-part.js';
import { busyUpload, UploadHold, unknownUpload } from './upload-hold.js';
import { parseMetadata } from './upload-metadata.js';

/** The session of a member. */
export type MemberSession = Session & { readonly caller: MemberCaller };

/** Makes the file of a content, in the transaction of a session. @returns its id */
export type CreateFile = (
  values: Readonly<Record<string, unknown>>,
  content: StoredContent,
  around: (within: Session, create: () => Promise<string>) => Promise<string>,
) => Promise<string>;

@Injectable()
export class ResumableUploads {
  constructor(
    private readonly database: Database,
    private readonly contents: NewContents,
    private readonly objects: Objects,
    private readonly quota: UnitQuota,
    private readonly expired: ExpiredRows,
  ) {}

  /** @throws KindError 409 `file.too_many_uploads`, `project.full` */
  async begin(session: MemberSession, metadata: string, length: number): Promise<UploadRow> {
    const { schema } = session.project;
    const [id, member] = [randomUUID(), session.caller.id];
    return inTransaction(this.database, session, { isolation: 'read committed' }, async ({ executor }) => {
      await executor.run(lockFilesStatement(schema));
      const [now] = await executor.run<ContentBytesRow & { open: number }>(openUploadsStatement(schema, member));
      if (!now) throw new Error('the project has no row of its files');
      if (now.open >= LIMITS.uploadsOfMember) {
        const most = `A member has at most ${LIMITS.uploadsOfMember} open uploads`;
        throw refusal('file.too_many_uploads', `${most}: end one, or wait until it expires`);
      }
      await this.quota.checkContents({ ...session, executor }, Number(now.total) + length, Number(now.left));
      await this.expired.sweep(executor, schema, UPLOAD_TABLE);
      const begin = beginUploadStatement(schema, { id, member, metadata, length, life: LIMITS.uploadLife });
      const [begun] = await executor.run<UploadRow>(begin);
      if (!begun) throw new Error('an insert answers its row');
      return begun;
    });
  }

  /** Works on an upload of the caller, one request after the other. @throws KindError 404, 423 */
  async holding<T>(
    { project: { schema }, caller: { id: member } }: MemberSession,
    id: string,
    work: (upload: UploadRow, hold: UploadHold) => Promise<T>,
  ): Promise<T> {
    const hold = new UploadHold(this.database, { schema, id, member });
    const upload = await hold.take();
    try {
      return await work(upload, hold);
    } finally {
      await hold.release();
    }
  }

  /**
   * Stores what a request brings, also where it is cut off.
   * @throws KindError 409 `project.full`, 413, 503, and why the body was cut off if nothing came
   */
  async append(session: MemberSession, upload: UploadRow, hold: UploadHold, request: HttpRequest): Promise<UploadRow> {
    const part = new ReceivedPart(request, Number(upload.length) - Number(upload.stored));
    if (part.isEmpty) return upload;
    hold.onWanted = () => request.destroy();
    let raised = upload;
    while (await part.hasMore()) raised = await this.#store(session, raised, hold, part);
    hold.onWanted = undefined;
    if (part.cut) {
      if (part.bytes === 0) throw part.cut;
      request.res?.setHeader('Connection', 'close');
    }
    return raised;
  }

  /** Stores the next piece. */
  async #store(session: MemberSession, upload: UploadRow, hold: UploadHold, part: ReceivedPart): Promise<UploadRow> {
    if (upload.parts >= LIMITS.uploadParts) {
      const text = `An upload has at most ${LIMITS.uploadParts} parts: begin it again, with larger ones`;
      throw refusal('file.too_many_parts', text);
    }
    const before = part.bytes;
    const key = await this.objects.put(session.project, part.piece(), part.announced);
    const object = { key, bytes: part.bytes - before };
    try {
      return await this.#raise(session, upload, hold, object);
    } catch (error) {
      await this.objects.remove(session.project, [object]);
      throw error;
    }
  }

  #raise(
    session: MemberSession,
    { id, stored: offset }: UploadRow,
    { holder }: UploadHold,
    object: UntakenObject,
  ): Promise<UploadRow> {
    const { schema } = session.project;
    return inTransaction(this.database, session, { isolation: 'read committed' }, async ({ executor }) => {
      await executor.run(lockFilesStatement(schema));
      const [raised] = await executor.run<UploadRow>(
        raiseUploadStatement(schema, { id, holder, offset, bytes: object.bytes }),
      );
      // It was held up for so long that another request has taken the upload.
      if (!raised) throw busyUpload();
      const [added] = await executor.run(addPartStatement(schema, object, id, offset));
      if (!added) throw unknownUpload();
      const [now] = await executor.run<ContentBytesRow>(contentBytesStatement(schema));
      await this.quota.checkContents({ ...session, executor }, Number(now?.total), Number(now?.left));
      return raised;
    });
  }

  /** Makes the file of an upload whose parts are all there. @returns its id */
  async finish(session: Session, upload: UploadRow, { holder }: UploadHold, create: CreateFile): Promise<string> {
    const { project } = session;
    const { id, metadata } = upload;
    const { name, claimed, values } = parseMetadata(metadata);
    const parts = await this.#parts(project.schema, id);
    const bytes = Number(upload.length);
    const content = await this.contents.add(project, this.#read(parts), { limit: bytes, bytes, name, claimed });
    try {
      // Parts are missing whose time is over.
      if (content.facts.bytes !== bytes) throw unknownUpload();
      const file = await create({ ...values, name }, content, async ({ executor }, make) => {
        const [emptied] = await executor.run(emptyUploadStatement(project.schema, id, holder));
        if (!emptied) throw busyUpload();
        const made = await make();
        await executor.run(endUploadStatement(project.schema, id, made));
        return made;
      });
      await this.objects.remove(project, parts);
      return file;
    } finally {
      await this.contents.end(project, content);
    }
  }

  /** A file that was made of it stays. @throws KindError 404 */
  async remove({ project, caller, executor }: MemberSession, id: string): Promise<void> {
    const [removed] = await executor.run(deleteUploadStatement(project.schema, id, caller.id));
    if (!removed) throw unknownUpload();
    await this.objects.remove(project, await this.#parts(project.schema, id));
  }

  #parts(schema: string, id: string): Promise<UntakenObject[]> {
    return this.database.run<UntakenObject>(partsStatement(schema, id));
  }

  async *#read(parts: readonly UntakenObject[]): AsyncGenerator<Uint8Array, void, undefined> {
    for (const { key } of parts) yield* (await this.objects.open(key)) as AsyncIterable<Uint8Array>;
  }
}
