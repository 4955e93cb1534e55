/** The link type `group` of the system: adds kinds to groups and removes them. */
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Answer } from '../http/answer/answer.js';
import { getGroup, type GroupDef } from '../model/model.js';
import { refusal } from '../shared/errors.js';
import { unitAnswer } from '../unit/table/presentation-version.js';
import { asSystem, type Session } from '../unit/session/session.js';
import { SystemLinks, type SystemLink } from '../unit/system-links.js';
import { unknownUnit } from '../unit/session/unit-ids.js';
import { UnitRights } from '../unit/table/rights.js';
import { UnitStores } from '../unit/unit-stores.js';
import { GROUP_KIND, KIND_KIND } from '../model/built-in-traits.js';

@Injectable()
export class GroupKinds implements SystemLink, OnModuleInit {
  readonly linkId = 'group';
  readonly parentKind = GROUP_KIND;

  constructor(
    private readonly links: SystemLinks,
    private readonly stores: UnitStores,
    private readonly rights: UnitRights,
  ) {}

  onModuleInit(): void {
    this.links.register(this);
  }

  accepts(childKind: string): boolean {
    return childKind === KIND_KIND;
  }

  check(session: Session, parentId: string, childKind: string, childId: string): void {
    getGroup(session.model, parentId);
    const kinds = session.model.kinds.get(childKind);
    if (kinds && !session.model.kinds.has(childId)) throw unknownUnit(kinds, childId);
  }

  async add(session: Session, parentId: string, childKind: string, childId: string): Promise<Answer> {
    const group = getGroup(session.model, parentId);
    if (!group.kinds.includes(childId)) await this.#write(session, group, [...group.kinds, childId]);
    const kinds = session.model.kinds.get(childKind);
    if (!kinds) throw new Error(`the model has no kind ${childKind}`);
    return unitAnswer(kinds, await this.rights.present(session, kinds, childId));
  }

  async remove(session: Session, parentId: string, _childKind: string, childId: string): Promise<void> {
    const group = getGroup(session.model, parentId);
    if (!group.kinds.includes(childId)) throw refusal('link.unknown', `'${childId}' is not in the group '${parentId}'`);
    await this.#write(
      session,
      group,
      group.kinds.filter((id) => id !== childId),
    );
  }

  async #write(session: Session, group: GroupDef, list: readonly string[]): Promise<void> {
    const kind = session.model.kinds.get(GROUP_KIND);
    if (kind)
      await this.stores.of(kind).update(asSystem(session), kind, group.id, () => new Map([['kind_list', list]]));
  }
}
