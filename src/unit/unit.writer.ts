/**
 * The one door for writes: whatever is stored of a project, by a request, a behaviour or a function, goes through
 * `insert`, `update` and `remove` here, to the table of the kind or to its source.
 */
import { Injectable } from '@nestjs/common';
import type { KindDef } from '../model/model.js';
import { RemoteWriter } from './remote/remote.writer.js';
import { TableWriter } from './table/table.writer.js';
import type { Writer } from './table/writer.js';

@Injectable()
export class UnitWriter implements Writer {
  constructor(
    private readonly tables: TableWriter,
    private readonly remotes: RemoteWriter,
  ) {}

  readonly isolation: Writer['isolation'] = (session, kind, operation) =>
    this.#of(kind).isolation(session, kind, operation);
  readonly insert: Writer['insert'] = (session, kind, ...rest) => this.#of(kind).insert(session, kind, ...rest);
  readonly update: Writer['update'] = (session, kind, ...rest) => this.#of(kind).update(session, kind, ...rest);
  readonly remove: Writer['remove'] = (session, kind, ...rest) => this.#of(kind).remove(session, kind, ...rest);

  #of({ remote }: KindDef): Writer {
    return remote ? this.remotes : this.tables;
  }
}
