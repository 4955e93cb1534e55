/** Writes of files: their content, which is stored before the unit is, and what is known of it. */
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Session } from '../catalog/session/session.js';
import { Database } from '../database/database.js';
import { etagMatches } from '../http/answer/etag.js';
import { CONTENT_FIELD, OBJECT_FIELD } from '../model/built-in/file-fields.js';
import { FILE_KIND } from '../model/built-in-traits.js';
import type { KindDef } from '../model/model.js';
import { whyNotTaken } from '../model/parameter-setting/file.setting.js';
import { KindError, refusal } from '../shared/errors.js';
import { isUuid } from '../shared/identifiers.js';
import { scalarText, type Json } from '../shared/json.js';
import { LIMITS } from '../shared/limits.js';
import { byteSizeText } from '../shared/texts.js';
import { contentOfUnitStatement, type StoredContentRow } from '../sql/file/content.sql.js';
import { refersToFileStatement } from '../sql/file/file-references.sql.js';
import { leaveObjectStatement, type TakenObjectRow, takeObjectStatement } from '../sql/file/object.sql.js';
import { Behaviors, type PendingWrite, type RegisteredBehavior } from '../unit/draft/behavior.js';
import { type Body, type Draft, withSystemValue, withoutValuesOf } from '../unit/draft/draft.js';
import { storedReferences } from '../unit/draft/references.js';
import { UnitQuota } from '../unit/table/write/unit-quota.js';
import { knowsWholeProject } from '../tenancy/caller.js';
import { contentEtag } from './content/content-etag.js';
import { fileName } from './content/file-name.js';
import { Objects } from './objects.js';
import { StoredContent } from './stored-content.js';
import { asContent } from './store/file-store.js';

@Injectable()
export class FileBehavior implements RegisteredBehavior, OnModuleInit {
  constructor(
    private readonly behaviors: Behaviors,
    private readonly objects: Objects,
    private readonly database: Database,
    private readonly quota: UnitQuota,
  ) {}

  onModuleInit(): void {
    this.behaviors.register(this);
  }

  applies({ traits }: KindDef): boolean {
    return traits.contents === true;
  }

  prepare(body: Body, { faults, index }: PendingWrite): Body {
    const [name, content, owner] = [body.get('name'), body.get(CONTENT_FIELD), body.get('owner')];
    const position = index === undefined ? {} : { index };
    if (typeof owner === 'string' && !isUuid(owner)) {
      faults.add('parameter.bad_value', 'owner: must be the id of a member', { ...position, parameter: 'owner' });
    }
    if (typeof content === 'string' && base64Bytes(content) > LIMITS.fileInJson) {
      const most = byteSizeText(LIMITS.fileInJson);
      const text = `content: at most ${most} in JSON; larger ones are sent as the body of the request`;
      throw refusal('body.too_large', text, { parameter: CONTENT_FIELD });
    }
    if (typeof name !== 'string') return body;
    try {
      return new Map(body).set('name', fileName(name));
    } catch (error) {
      if (!(error instanceof KindError)) throw error;
      faults.addAll(error, position);
      return body;
    }
  }

  async complete(given: Draft, write: PendingWrite): Promise<Draft> {
    const { kind, faults } = write;
    const field = kind.fields.get(CONTENT_FIELD);
    if (faults.any || !field || !given.values.has(CONTENT_FIELD)) return given;
    const { draft, content } = await this.keep(given, write);
    return content ? withContent(withoutValuesOf(draft, [field]), kind, content) : draft;
  }

  /** The new content of a draft, stored now if it was not. Where it stands in the draft, its key does then. */
  async keep(
    draft: Draft,
    write: Pick<PendingWrite, 'session' | 'id'>,
  ): Promise<{ draft: Draft; content: StoredContent | undefined }> {
    const given = draft.values.get(CONTENT_FIELD) ?? draft.values.get(OBJECT_FIELD);
    if (typeof given !== 'string') return { draft, content: undefined };
    if (!given.startsWith(HEX)) {
      const content = this.objects.findUntaken(given);
      if (!content) throw cutOff();
      return { draft, content };
    }
    const content = await this.#store(Buffer.from(given.slice(HEX.length), 'hex'), draft, write);
    return { draft: { ...draft, values: new Map([...draft.values, [CONTENT_FIELD, content.key]]) }, content };
  }

  /** The row is locked. */
  async beforeUpdate(draft: Draft, { session, id = '' }: PendingWrite): Promise<Draft> {
    const key = draft.values.get(OBJECT_FIELD);
    if (key === undefined) return draft;
    const { executor, project } = session;
    const [stored] = await executor.run<StoredContentRow>(contentOfUnitStatement(project.schema, id));
    if (!stored) return draft;
    const { ifMatch } = this.objects.findUntaken(scalarText(key)) ?? {};
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
    if (!this.objects.findUntaken(key)) throw cutOff();
    await this.quota.checkContents(session, Number(all?.total), Number(all?.left));
    executor.tx?.afterCommit(() => this.objects.taken(project, key, all?.listed === true));
  }

  /** Stores a content that a JSON body has. Its type may be found from the name that the file gets, or has. */
  async #store(
    bytes: Buffer,
    { values }: Draft,
    { session: { project, executor }, id }: Pick<PendingWrite, 'session' | 'id'>,
  ): Promise<StoredContent> {
    if (executor.tx) {
      // It waits for the store.
      executor.tx.becomeLong();
      this.objects.countIn(executor.tx);
    }
    const isNamed = values.has('name') || id === undefined;
    const [stored] = isNamed ? [] : await executor.run<StoredContentRow>(contentOfUnitStatement(project.schema, id));
    const name = values.get('name') ?? stored?.name;
    const content = await this.objects.add(project, asContent(bytes), {
      limit: bytes.length,
      bytes: bytes.length,
      ...(typeof name === 'string' && { name }),
    });
    if (executor.tx) this.objects.endWith(executor.tx, project, content);
    return content;
  }
}

/** The prefix of bytes in a draft, and of no key. */
const HEX = '\\x';

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
