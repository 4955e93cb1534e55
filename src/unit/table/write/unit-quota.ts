/** Limits the number of units of a project, and what it takes on disk, where its settings say so. */
import { Injectable } from '@nestjs/common';
import { StorageSizes } from '../../../catalog/project/storage-sizes.js';
import { ADMIN_KIND } from '../../../model/built-in-traits.js';
import type { KindDef } from '../../../model/model.js';
import { instantAt } from '../../../model/parameter-type/calendar.js';
import { byteSizeText } from '../../../shared/texts.js';
import { refusal, type KindError } from '../../../shared/errors.js';
import { storedUnitsStatement } from '../../../sql/count.sql.js';
import { contentBytesStatement } from '../../../sql/file/files.sql.js';
import { leftUntilStatement } from '../../../sql/file/object.sql.js';
import { knowsWholeProject } from '../../../tenancy/caller.js';
import type { Project } from '../../../tenancy/project.js';
import { originalCallerOf, type Session } from '../../../catalog/session/session.js';

type Writing = Pick<Session, 'project' | 'caller' | 'originalCaller' | 'executor'>;

@Injectable()
export class UnitQuota {
  constructor(private readonly sizes: StorageSizes) {}

  /**
   * Call it before units or links are written. What tables have grown by since their last measurement is not known.
   * @throws KindError 409 if the project takes as much on disk as it may, with the contents of its files
   */
  async checkStorage(session: Writing): Promise<void> {
    const { project, executor } = session;
    const most = project.settings.storage;
    if (!most) return;
    const [contents] = await executor.run<{ total: string }>(contentBytesStatement(project.schema));
    const bytes = this.#tables(project) + Number(contents?.total ?? 0);
    if (bytes >= most) throw fullStorage(session, most, bytes);
  }

  /**
   * The same with contents of files that are written. Those that files have left stay for a day, and take as much again
   * at most. Deletions are not judged, so that they are always possible.
   * @param contents bytes of all of them @param left bytes of those that files have left
   */
  async checkContents(session: Writing, contents: number, left: number): Promise<void> {
    const { project, executor } = session;
    const most = project.settings.storage;
    if (!most) return;
    const bytes = this.#tables(project) + contents;
    if (bytes > most) throw fullStorage(session, most, bytes);
    if (left <= most) return;
    const [first] = await executor.run<{ next: number | null }>(leftUntilStatement(project.schema));
    throw fullOfLeft(session, most, left, instantAt(first?.next ?? Date.now()));
  }

  /** The same for units of one kind; definitions are always written, and files are judged with their content. */
  async checkStorageFor(session: Session, { id, storage, traits }: KindDef): Promise<void> {
    if (traits.contents) await this.checkContents(session, 0, 0);
    else if (storage.counted || id === ADMIN_KIND) await this.checkStorage(session);
  }

  /**
   * Call it before units are created. Units of user kinds count, also those that this transaction has created; those of
   * transactions at the same time do not.
   * @throws KindError 409 if there would be more than the project may have
   */
  async check(session: Session, kind: KindDef, created: number): Promise<void> {
    await this.checkStorageFor(session, kind);
    if (!kind.storage.counted) return;
    const most = session.project.settings.units;
    if (!most) return;
    const [row] = await session.executor.run<{ units: string }>(storedUnitsStatement(session.project.schema));
    const units = Number(row?.units);
    if (units + created <= most) return;
    throw full(session, 'The project has as many units as it may have', `: at most ${most}, and it has ${units}`);
  }

  /** 0 until they are measured. */
  #tables(project: Project): number {
    return this.sizes.lastKnown(project) ?? 0;
  }
}

function fullStorage(session: Pick<Session, 'caller' | 'originalCaller'>, most: number, bytes: number): KindError {
  const numbers = `: at most ${byteSizeText(most)}, and it takes ${byteSizeText(bytes)}`;
  return full(session, 'The project takes as much storage as it may', numbers);
}

/** @param until when the first of them are removed */
function fullOfLeft(session: Pick<Session, 'caller' | 'originalCaller'>, most: number, left: number, until: string) {
  const numbers = `: ${byteSizeText(left)} of at most ${byteSizeText(most)}, of which the first go at ${until}. Wait until then, or raise its storage`;
  return full(session, 'Contents of replaced and deleted files, which stay for 24 hours, fill the project', numbers);
}

/** @param numbers for callers who may know them */
function full(session: Pick<Session, 'caller' | 'originalCaller'>, text: string, numbers: string): KindError {
  return refusal('project.full', knowsWholeProject(originalCallerOf(session)) ? text + numbers : text);
}
