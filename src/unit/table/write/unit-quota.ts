/** Limits the number of units of a project, and what it takes on disk, where its settings say so. */
import { Injectable } from '@nestjs/common';
import { StorageSizes } from '../../../catalog/project/storage-sizes.js';
import { ADMIN_KIND } from '../../../model/built-in-traits.js';
import type { KindDef } from '../../../model/model.js';
import { byteSizeText } from '../../../shared/texts.js';
import { refusal, type KindError } from '../../../shared/errors.js';
import { storedUnitsStatement } from '../../../sql/count.sql.js';
import { knowsWholeProject } from '../../../tenancy/caller.js';
import { originalCallerOf, type Session } from '../../../catalog/session/session.js';

@Injectable()
export class UnitQuota {
  constructor(private readonly sizes: StorageSizes) {}

  /**
   * Call it before units or links are written. What is written until the next measurement is not known.
   * @throws KindError 409 if the project takes as much on disk as it may
   */
  checkStorage(session: Pick<Session, 'project' | 'caller' | 'originalCaller'>): void {
    const most = session.project.settings.storage;
    if (!most) return;
    const bytes = this.sizes.lastKnown(session.project);
    if (bytes === undefined || bytes < most) return;
    throw fullStorage(session, most, bytes);
  }

  /**
   * The same once contents of files were written.
   * @param contents bytes of all of them
   */
  checkContents(session: Pick<Session, 'project' | 'caller' | 'originalCaller'>, contents: number): void {
    const most = session.project.settings.storage;
    if (!most) return;
    const bytes = contents + (this.sizes.lastKnown(session.project) ?? 0);
    if (bytes > most) throw fullStorage(session, most, bytes);
  }

  /** The same for units of one kind; definitions are always written. */
  checkStorageFor(session: Session, { id, storage }: KindDef): void {
    if (storage.counted || id === ADMIN_KIND) this.checkStorage(session);
  }

  /**
   * Call it before units are created. Units of user kinds count, also those that this transaction has created; those of
   * transactions at the same time do not.
   * @throws KindError 409 if there would be more than the project may have
   */
  async check(session: Session, kind: KindDef, created: number): Promise<void> {
    this.checkStorageFor(session, kind);
    if (!kind.storage.counted) return;
    const most = session.project.settings.units;
    if (!most) return;
    const [row] = await session.executor.run<{ units: string }>(storedUnitsStatement(session.project.schema));
    const units = Number(row?.units);
    if (units + created <= most) return;
    throw full(session, 'The project has as many units as it may have', `: at most ${most}, and it has ${units}`);
  }
}

function fullStorage(session: Pick<Session, 'caller' | 'originalCaller'>, most: number, bytes: number): KindError {
  const numbers = `: at most ${byteSizeText(most)}, and it takes ${byteSizeText(bytes)}`;
  return full(session, 'The project takes as much storage as it may', numbers);
}

/** @param numbers for callers who may know them */
function full(session: Pick<Session, 'caller' | 'originalCaller'>, text: string, numbers: string): KindError {
  return refusal('project.full', knowsWholeProject(originalCallerOf(session)) ? text + numbers : text);
}
