/** A file to which a unit refers by an `owned` parameter goes with the unit, or when another takes its place. */
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type Session, transactionOf } from '../catalog/session/session.js';
import { Database } from '../database/database.js';
import { contentionOn, OutdatedError } from '../database/transaction/contention.js';
import { FILE_KIND } from '../model/built-in-traits.js';
import { type Field, type KindDef, referencesOf } from '../model/model.js';
import { getOrInsert } from '../shared/maps.js';
import { linkedFilesStatement, ownedFilesStatement, unusedFilesStatement } from '../sql/file/file-references.sql.js';
import { lockUnitsStatement } from '../sql/lock.sql.js';
import { Behaviors, type PendingWrite, type RegisteredBehavior, type UnitEdit } from '../unit/draft/behavior.js';
import type { Draft } from '../unit/draft/draft.js';
import { storedReferences } from '../unit/draft/references.js';
import { Deletions } from '../unit/table/write/delete.js';

@Injectable()
export class OwnedFilesBehavior implements RegisteredBehavior, OnModuleInit {
  readonly manyEdits = {
    before: async (edits: readonly UnitEdit[], { kind, session }: PendingWrite): Promise<readonly Draft[]> => {
      const ids = edits.map(({ id }) => id);
      await this.#note(kind, ids, session);
      return edits.map(({ draft }) => draft);
    },
    after: async (edits: readonly UnitEdit[], kind: KindDef, session: Session): Promise<void> => {
      const changed = edits.filter(({ draft }) => writesOwned(kind, draft));
      const ids = changed.map(({ id }) => id);
      await this.#deleteUnused(kind, ids, session);
    },
  };

  /** The files of units before they are written, by kind and id. */
  readonly #noted = new WeakMap<object, Map<string, readonly string[]>>();

  constructor(
    private readonly behaviors: Behaviors,
    private readonly deletions: Deletions,
    private readonly database: Database,
  ) {}

  onModuleInit(): void {
    this.behaviors.register(this);
  }

  applies(kind: KindDef): boolean {
    return kind.storage.foreignKeys && ownedFields(kind).length > 0;
  }

  /** The row is locked. */
  async beforeUpdate(draft: Draft, { kind, session, id = '' }: PendingWrite): Promise<Draft> {
    await this.#note(kind, [id], session);
    return draft;
  }

  async afterWrite(kind: KindDef, id: string, draft: Draft, session: Session): Promise<void> {
    if (writesOwned(kind, draft)) await this.#deleteUnused(kind, [id], session);
  }

  beforeDelete(kind: KindDef, id: string, session: Session): Promise<void> {
    return this.#note(kind, [id], session);
  }

  afterDelete(kind: KindDef, id: string, session: Session): Promise<void> {
    return this.#deleteUnused(kind, [id], session);
  }

  async #note(kind: KindDef, ids: readonly string[], session: Session): Promise<void> {
    const statement = ownedFilesStatement(session.project.schema, kind, ownedFields(kind), ids);
    const rows = await session.executor.run<{ id: string; files: readonly string[] }>(statement);
    const noted = this.#notedIn(session);
    for (const { id, files } of rows) noted.set(noteKey(kind, id), files);
  }

  /** Deletes what the units referred to before, if nothing refers to it now. The caller needs no right for it. */
  async #deleteUnused(kind: KindDef, ids: readonly string[], session: Session): Promise<void> {
    const noted = this.#notedIn(session);
    const files = [...new Set(ids.flatMap((id) => noted.get(noteKey(kind, id)) ?? []))];
    for (const id of ids) noted.delete(noteKey(kind, id));
    const { model, project, executor } = session;
    const target = model.kinds.get(FILE_KIND);
    if (!target || files.length === 0) return;
    const { schema } = project;
    // Locked, no new reference to them can be made, and no link.
    await executor.run(lockUnitsStatement({ schema, kind: target, keys: files, forDelete: true }));
    const statement = unusedFilesStatement(schema, target, files, storedReferences(model, target.id));
    const unused = await executor.run<{ id: string }>(statement);
    if (unused.length === 0) return;
    const unusedIds = unused.map(({ id }) => id);
    await this.#checkLinks(session, target, unusedIds, { kind, ids });
    const deletions = session.deletions?.through(target, target.keyField);
    await this.deletions.deleteLocked({ ...session, cascade: true, deletions }, target, unusedIds);
  }

  /**
   * The snapshot of a transaction may be older than a link that was made before the lock: outside of it all are seen, also
   * those that it has deleted itself. So it runs again, in the end with a snapshot that no link can be missing from.
   * @throws OutdatedError
   */
  async #checkLinks(
    { project: { schema }, executor: { tx } }: Session,
    kind: KindDef,
    files: readonly string[],
    of: { readonly kind: KindDef; readonly ids: readonly string[] },
  ): Promise<void> {
    if (tx?.isolation !== 'repeatable read' || tx.runs.hasTableLocks) return;
    const linked = await this.database.run<{ id: string }>(linkedFilesStatement(schema, files, of.kind, of.ids));
    if (linked.length === 0) return;
    const ids = linked.map(({ id }) => id);
    throw new OutdatedError(contentionOn({ schema, kind }, ids, true));
  }

  #notedIn(session: Session): Map<string, readonly string[]> {
    return getOrInsert(this.#noted, transactionOf(session), () => new Map<string, readonly string[]>());
  }
}

function noteKey({ id: kindId }: KindDef, id: string): string {
  return `${kindId} ${id}`;
}

function ownedFields(kind: KindDef): readonly Field[] {
  return referencesOf(kind).filter(({ def }) => def.owned === true);
}

function writesOwned(kind: KindDef, { values }: Draft): boolean {
  return ownedFields(kind).some(({ id }) => values.has(id));
}
