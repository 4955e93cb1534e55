/** The store of kinds with a table. */
import { Injectable } from '@nestjs/common';
import { checkActive } from '../../access/access.js';
import { UNIT_QUERY } from '../../http/route/query-names.js';
import type { KindDef } from '../../model/model.js';
import type { UnitStore } from '../store/unit-store.js';
import { TableReader } from './read/table.reader.js';
import { MatchingWriter } from './write/matching.writer.js';
import { UpsertWriter } from './write/upsert.writer.js';
import { TableWriter } from './write/table.writer.js';

@Injectable()
export class TableStore implements UnitStore {
  readonly queryNames = UNIT_QUERY.table;

  constructor(
    private readonly reader: TableReader,
    private readonly writer: TableWriter,
    private readonly matching: MatchingWriter,
    private readonly upserts: UpsertWriter,
  ) {}

  checkState(kind: KindDef): void {
    checkActive(kind);
  }

  lacks(): boolean {
    return false;
  }

  readonly list: UnitStore['list'] = (...args) => this.reader.list(...args);
  readonly aggregate: UnitStore['aggregate'] = (...args) => this.reader.aggregate(...args);
  readonly get: UnitStore['get'] = (...args) => this.reader.get(...args);
  readonly getBy: UnitStore['getBy'] = (...args) => this.reader.getBy(...args);
  readonly find: UnitStore['find'] = (...args) => this.reader.find(...args);
  readonly lock: UnitStore['lock'] = (...args) => this.reader.lock(...args);
  readonly evaluate: UnitStore['evaluate'] = (...args) => this.reader.evaluate(...args);

  readonly isolation: UnitStore['isolation'] = (...args) => this.writer.isolation(...args);
  readonly insert: UnitStore['insert'] = (...args) => this.writer.insert(...args);
  readonly update: UnitStore['update'] = (...args) => this.writer.update(...args);
  readonly remove: UnitStore['remove'] = (...args) => this.writer.remove(...args);
  readonly upsert: UnitStore['upsert'] = (...args) => this.upserts.upsert(...args);
  readonly lookUp: UnitStore['lookUp'] = (...args) => this.upserts.lookUp(...args);
  readonly updateAll: UnitStore['updateAll'] = (...args) => this.matching.updateAll(...args);
  readonly removeAll: UnitStore['removeAll'] = (...args) => this.matching.removeAll(...args);
}
