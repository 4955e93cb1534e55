/**
 * The one door for writes: whatever is stored of a project, by a request, a behaviour or a function, goes through
 * `insert`, `update` and `remove` here, to the table of the kind or to its source.
 */
import { Injectable } from '@nestjs/common';
import type { KindDef } from '../model/model.js';
import type { Body } from './draft.js';
import type { NotObject } from './drafter.js';
import { RemoteWriter } from './remote.writer.js';
import type { Session } from './session.js';
import { TableWriter } from './table.writer.js';
import type { UnitRow } from './unit.repository.js';
import type { WriteOptions } from './unit.rights.js';
import type { Writer } from './writer.js';

@Injectable()
export class UnitWriter implements Writer {
  constructor(
    private readonly tables: TableWriter,
    private readonly remotes: RemoteWriter,
  ) {}

  async insert(
    session: Session,
    kind: KindDef,
    bodies: readonly (Body | NotObject)[],
    options: WriteOptions = {},
  ): Promise<UnitRow[]> {
    return this.#of(kind).insert(session, kind, bodies, options);
  }

  async update(
    session: Session,
    kind: KindDef,
    id: string,
    read: () => Body,
    options: WriteOptions = {},
  ): Promise<UnitRow> {
    return this.#of(kind).update(session, kind, id, read, options);
  }

  async remove(session: Session, kind: KindDef, id: string, options: WriteOptions = {}): Promise<void> {
    return this.#of(kind).remove(session, kind, id, options);
  }

  #of({ remote }: KindDef): Writer {
    return remote ? this.remotes : this.tables;
  }
}
