/** Writes of files: their content, which is stored before the unit is, and what is known of it. */
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Session } from '../catalog/session/session.js';
import { Database } from '../database/database.js';
import { etagMatches } from '../http/answer/etag.js';
import { CONTENT_FIELD, OBJECT_FIELD } from '../model/built-in/file-fields.js';
import { FILE_KIND } from '../model/built-in-traits.js';
import type { KindDef } from '../model/model.js';
import { whyNotTaken } from '../model/parameter-setting/file.setting.js';
import { decodeBase64 } from '../shared/base64.js';
import { KindError, refusal } from '../shared/errors.js';
import { isUuid } from '../shared/identifiers.js';
import { isPlainObject, scalarText, type Json } from '../shared/json.js';
import { LIMITS } from '../shared/limits.js';
import { byteSizeText } from '../shared/texts.js';
import { contentOfUnitStatement, type StoredContentRow } from '../sql/file/content.sql.js';
import { refersToFileStatement } from '../sql/file/file-references.sql.js';
import { leaveObjectStatement, type TakenObjectRow, takeObjectStatement } from '../sql/file/object.sql.js';
import { Behaviors, type PendingWrite, type RegisteredBehavior, type WriteAhead } from '../unit/draft/behavior.js';
import { type Body, type Draft, withSystemValue, withoutValuesOf } from '../unit/draft/draft.js';
import { storedReferences } from '../unit/draft/references.js';
import { mustBeWritable } from '../unit/table/rights.js';
import { UnitQuota } from '../unit/table/write/unit-quota.js';
import { knowsWholeProject } from '../tenancy/caller.js';
import { contentEtag } from './content/content-etag.js';
import { fileName } from './content/file-name.js';
import { NewContents } from './new-contents.js';
import { StoredContent } from './stored-content.js';
import { asContent } from './store/file-store.js';

@Injectable()
export class FileBehavior implements RegisteredBehavior, OnModuleInit {
  constructor(
    private readonly behaviors: Behaviors,
    private readonly contents: NewContents,
    private readonly database: Database,
    private readonly quota: UnitQuota,
  ) {}

  onModuleInit(): void {
    this.behaviors.register(this);
  }

  applies({ traits }: KindDef): boolean {
    return traits.contents === true;
  }

  /** Stores the content of a body before the transaction. What is wrong with the body is left to the write. */
  async ahead(
    body: Body,
    { kind, session, id, conditions, write }: WriteAhead,
  ): Promise<{ readonly [CONTENT_FIELD]: StoredContent } | undefined> {
    const bytes = bytesOf(body);
    // In a batch it may stand for a name that an earlier operation answers.
    if (!bytes || isPlainObject(body.get('name'))) return undefined;
    if (id !== undefined) await mustBeWritable(session, kind, id, conditions, 'update');
    return { [CONTENT_FIELD]: await this.#store(bytes, body, { session, id, write }) };
  }

  /** From here on, the content is a stored one. */
  async prepare(body: Body, write: PendingWrite): Promise<Body> {
    const { faults, index } = write;
    const [name, owner] = [body.get('name'), body.get('owner')];
    const position = index === undefined ? {} : { index };
    if (typeof owner === 'string' && !isUuid(owner)) {
      faults.add('parameter.bad_value', 'owner: must be the id of a member', { ...position, parameter: 'owner' });
    }
    checkLength(body);
    const prepared = new Map(body);
    if (typeof name === 'string') {
      try {
        prepared.set('name', fileName(name));
      } catch (error) {
        if (!(error instanceof KindError)) throw error;
        faults.addAll(error, position);
      }
    }
    if (!faults.any) await this.#prepareContent(prepared, write);
    return prepared;
  }

  /** What was not stored before, as its write is a part of a larger transaction, is now: that waits for the store. */
  async #prepareContent(prepared: Map<string, unknown>, { session, id }: PendingWrite): Promise<void> {
    const { tx } = session.executor;
    if (!tx) return;
    const content = prepared.get(CONTENT_FIELD);
    if (content instanceof StoredContent && content.write !== tx) this.contents.countIn(tx);
    const bytes = bytesOf(prepared);
    if (!bytes) return;
    tx.becomeLong();
    prepared.set(CONTENT_FIELD, await this.#store(bytes, prepared, { session, id, write: tx }));
  }

  complete(given: Draft, { kind, faults }: PendingWrite): Draft {
    const field = kind.fields.get(CONTENT_FIELD);
    if (faults.any || !field || !given.values.has(CONTENT_FIELD)) return given;
    const content = this.contentOf(given, kind);
    if (!content) throw cutOff();
    return withContent(withoutValuesOf(given, [field]), kind, content);
  }

  /** The new content of a file; undefined if it keeps the one that it has, and for units of other kinds. */
  contentOf({ values }: Draft, kind: KindDef): StoredContent | undefined {
    if (!this.applies(kind)) return undefined;
    const key = values.get(CONTENT_FIELD) ?? values.get(OBJECT_FIELD);
    return key === undefined ? undefined : this.contents.find(scalarText(key));
  }

  /** The row is locked. */
  async beforeUpdate(draft: Draft, { kind, session, id = '' }: PendingWrite): Promise<Draft> {
    if (!draft.values.has(OBJECT_FIELD)) return draft;
    const { executor, project } = session;
    const [stored] = await executor.run<StoredContentRow>(contentOfUnitStatement(project.schema, id));
    if (!stored) return draft;
    const { ifMatch } = this.contentOf(draft, kind) ?? {};
    if (ifMatch !== undefined && !etagMatches(ifMatch, contentEtag(stored))) throw changedContent();
    await this.#checkTaken(draft, id, session);
    await executor.run(leaveObjectStatement(project.schema, stored.object, stored.bytes));
    return draft;
  }

  /**
   * A new content is judged by all references that lead to the file. Who makes one waits for the lock of the row, or has
   * locked it before and is done; the snapshot of this transaction may be older than that, so that others are asked for
   * outside of it. @throws KindError 400
   */
  async #checkTaken({ values }: Draft, id: string, session: Session): Promise<void> {
    const { model, project, executor, caller } = session;
    const content = { mediaType: scalarText(values.get('media_type') ?? ''), bytes: Number(values.get('bytes')) };
    for (const referring of storedReferences(model, FILE_KIND)) {
      const { kind, field } = referring;
      const why = whyNotTaken(field.def, content);
      if (!why) continue;
      const statement = refersToFileStatement(project.schema, referring, id);
      const found = [...(await executor.run(statement)), ...(await this.database.run(statement))];
      if (found.length === 0) continue;
      const by = knowsWholeProject(caller) ? `'${field.id}' of a unit of '${kind.id}'` : 'a unit';
      throw refusal(why.code, `content: ${by} refers to this file and ${why.text}`, { parameter: CONTENT_FIELD });
    }
  }

  async afterWrite(_kind: KindDef, _id: string, { values }: Draft, session: Session): Promise<void> {
    const key = values.get(OBJECT_FIELD);
    if (typeof key !== 'string') return;
    const { executor, project } = session;
    const bytes = Number(values.get('bytes'));
    const [all] = await executor.run<TakenObjectRow>(takeObjectStatement(project.schema, key, bytes));
    // From here on it stays; before that, it is removed when its client has gone.
    if (!this.contents.find(key)) throw cutOff();
    await this.quota.checkContents(session, Number(all?.total), Number(all?.left));
    executor.tx?.afterCommit(() => this.contents.taken(project, key, all?.listed === true));
  }

  /** The type may be found from the name that the file gets, or has. */
  async #store(
    bytes: Buffer,
    body: Body,
    { session, id, write }: Pick<WriteAhead, 'session' | 'write'> & { readonly id: string | undefined },
  ): Promise<StoredContent> {
    const { project, executor } = session;
    return this.contents.addTo(write, project, async () => {
      const keepsName = id !== undefined && !body.has('name');
      const statement = contentOfUnitStatement(project.schema, id ?? '');
      const [stored] = keepsName ? await executor.run<StoredContentRow>(statement) : [];
      const name = body.get('name') ?? stored?.name;
      return this.contents.add(project, asContent(bytes), {
        limit: bytes.length,
        bytes: bytes.length,
        ...(typeof name === 'string' && { name }),
      });
    });
  }
}

/** The content in a body that is not stored; undefined if it has none, or faults. */
function bytesOf(body: Body): Buffer | undefined {
  const text = body.get(CONTENT_FIELD);
  return typeof text === 'string' && base64Bytes(text) <= LIMITS.fileInJson ? decodeBase64(text) : undefined;
}

/** @throws KindError 413 */
function checkLength(body: Body): void {
  const text = body.get(CONTENT_FIELD);
  if (typeof text !== 'string' || base64Bytes(text) <= LIMITS.fileInJson) return;
  const most = byteSizeText(LIMITS.fileInJson);
  const fault = `content: at most ${most} in JSON; larger ones are sent as the body of the request`;
  throw refusal('body.too_large', fault, { parameter: CONTENT_FIELD });
}

/** How many bytes a base64 text is of. */
function base64Bytes(text: string): number {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  return Math.floor((text.length * 3) / 4) - padding;
}

function cutOff(): KindError {
  return refusal('body.malformed', 'The upload was cut off');
}

export function changedContent(): KindError {
  return refusal('unit.changed', 'The content is no longer the one that If-Match names');
}

function withContent(draft: Draft, { fields }: KindDef, { key, facts }: StoredContent): Draft {
  const { mediaType, ...found } = facts;
  const values: Readonly<Record<string, Json>> = { ...found, media_type: mediaType, [OBJECT_FIELD]: key };
  return Object.entries(values).reduce((changed, [id, value]) => {
    const field = fields.get(id);
    return field ? withSystemValue(changed, field, value) : changed;
  }, draft);
}
