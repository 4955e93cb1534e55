/** Returns the store of a kind. No other code chooses between tables and sources. */
import { Injectable } from '@nestjs/common';
import type { KindDef } from '../model/model.js';
import { RemoteStore } from './remote/remote.store.js';
import type { UnitStore } from './store/unit-store.js';
import { TableStore } from './table/table.store.js';

@Injectable()
export class UnitStores {
  constructor(
    private readonly tables: TableStore,
    private readonly sources: RemoteStore,
  ) {}

  of({ storage }: KindDef): UnitStore {
    switch (storage.type) {
      case 'table':
        return this.tables;
      case 'remote':
        return this.sources;
    }
  }
}
