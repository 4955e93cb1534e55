/** The system's link type `parameter`: adds parameters to kinds and removes them. */
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Answer } from '../http/answer/answer.js';
import { reportTakenNames } from '../model/check/check-model.js';
import type { KindDef } from '../model/model.js';
import { isParameterTypeId } from '../model/parameter-type/type-by-id.js';
import { Faults, refusal } from '../shared/errors.js';
import { unitAnswer } from '../unit/table/presentation-version.js';
import { asSystem, type Session } from '../unit/session/session.js';
import { SystemLinks, type SystemLink } from '../unit/system-links.js';
import { UnitRights } from '../unit/table/rights.js';
import { UnitStores } from '../unit/unit-stores.js';
import { unknownUnit } from '../unit/session/unit-ids.js';
import { KIND_KIND } from '../model/built-in-traits.js';

@Injectable()
export class ParameterLink implements SystemLink, OnModuleInit {
  readonly linkId = 'parameter';
  readonly parentKind = KIND_KIND;

  constructor(
    private readonly links: SystemLinks,
    private readonly stores: UnitStores,
    private readonly rights: UnitRights,
  ) {}

  onModuleInit(): void {
    this.links.register(this);
  }

  accepts(childKind: string): boolean {
    return isParameterTypeId(childKind);
  }

  check(session: Session, parentId: string, childKind: string, childId: string): void {
    this.#kindOf(session, parentId);
    const type = session.model.kinds.get(childKind);
    const parameter = session.model.parameters.get(childId);
    if (type && parameter?.type !== childKind) throw unknownUnit(type, childId);
  }

  async add(session: Session, parentId: string, _childKind: string, childId: string): Promise<Answer> {
    const kind = this.#kindOf(session, parentId);
    if (!kind.parameters.includes(childId)) {
      const faults = new Faults();
      reportTakenNames([childId], kind.groups, faults);
      faults.throwIfAny();
      await this.#write(session, kind, { parameters: [...kind.parameters, childId] });
    }
    const kinds = session.model.kinds.get(KIND_KIND);
    if (!kinds) throw new Error('the model has no kind of kinds');
    return unitAnswer(kinds, await this.rights.present(session, kinds, parentId));
  }

  async remove(session: Session, parentId: string, _childKind: string, childId: string): Promise<void> {
    const kind = this.#kindOf(session, parentId);
    if (!kind.parameters.includes(childId))
      throw refusal('link.unknown', `'${parentId}' has no parameter '${childId}'`);
    await this.removeFrom(session, kind, childId);
  }

  /** Removes a parameter from a kind, and from its lists of unique constraints and indexes. */
  async removeFrom(session: Session, kind: KindDef, parameterId: string): Promise<void> {
    const without = (lists: KindDef['unique']) => lists.filter((ids) => !ids.includes(parameterId));
    await this.#write(session, kind, {
      parameters: kind.parameters.filter((id) => id !== parameterId),
      unique: without(kind.unique),
      indexes: without(kind.indexes),
    });
  }

  #kindOf(session: Session, id: string): KindDef {
    const kind = session.model.kinds.get(id);
    const kinds = session.model.kinds.get(KIND_KIND);
    if (!kind && kinds) throw unknownUnit(kinds, id);
    if (!kind || kind.builtIn) throw refusal('kind.built_in', `'${id}' is built in: it keeps its parameters`);
    return kind;
  }

  async #write(session: Session, kind: KindDef, values: Record<string, unknown>): Promise<void> {
    const kinds = session.model.kinds.get(KIND_KIND);
    if (kinds)
      await this.stores.of(kinds).update(asSystem(session), kinds, kind.id, () => new Map(Object.entries(values)));
  }
}
