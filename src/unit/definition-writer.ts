/** Edits the records of kinds and groups for other definitions, such as the `kind_list` of a group for a deleted kind. */
import { Injectable } from '@nestjs/common';
import { getBuiltInKind } from '../model/model.js';
import { bodyOf } from './draft/draft.js';
import { asSystem, type Session } from '../catalog/session/session.js';
import { UnitStores } from './unit-stores.js';

@Injectable()
export class DefinitionWriter {
  constructor(private readonly stores: UnitStores) {}

  /** Edits a definition with the rights of the system. `kindId` is that of its record, such as `kind`. */
  async update(session: Session, kindId: string, id: string, values: Record<string, unknown>): Promise<void> {
    const kind = getBuiltInKind(session.model, kindId);
    await this.stores.of(kind).update(asSystem(session), kind, id, () => bodyOf(values));
  }
}
