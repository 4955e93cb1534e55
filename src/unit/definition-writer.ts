/** Edits the records of kinds and groups for other definitions, such as the `kind_list` of a group for a deleted kind. */
import { Injectable } from '@nestjs/common';
import { getBuiltInKind, type KindDef } from '../model/model.js';
import { bodyOf } from './draft/draft.js';
import { asSystem, type Session } from '../catalog/session/session.js';
import { UnitStores } from './unit-stores.js';

@Injectable()
export class DefinitionWriter {
  constructor(private readonly stores: UnitStores) {}

  /** Edits a definition with the rights of the system. `kindId` is that of its record, such as `kind`. */
  async update(session: Session, kindId: string, id: string, values: Record<string, unknown>): Promise<void> {
    const kind = getBuiltInKind(session.model, kindId);
    await this.stores.of(kind).updates.update(asSystem(session), kind, id, () => bodyOf(values));
  }
}

/** The values of a kind without a parameter, which is also in none of its unique constraints and indexes. */
export function withoutParameter({ parameters, unique, indexes }: KindDef, id: string): Record<string, unknown> {
  const without = (lists: KindDef['unique']) => lists.filter((ids) => !ids.includes(id));
  return { parameters: parameters.filter((each) => each !== id), unique: without(unique), indexes: without(indexes) };
}
