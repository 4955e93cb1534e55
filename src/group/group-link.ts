/** The link type `group` of the system: adds kinds to groups and removes them. */
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { GROUP_KIND, GROUP_LINK, KIND_KIND } from '../model/built-in-traits.js';
import { getBuiltInKind, getGroup } from '../model/model.js';
import { refusal } from '../shared/errors.js';
import { DefinitionWriter } from '../unit/definition-writer.js';
import type { Session } from '../catalog/session/session.js';
import { unknownUnit } from '../unit/session/unit-ids.js';
import { SystemLinks, type SystemLink } from '../unit/system-links.js';

@Injectable()
export class GroupLink implements SystemLink, OnModuleInit {
  readonly linkId = GROUP_LINK;
  readonly parentKind = GROUP_KIND;

  constructor(
    private readonly links: SystemLinks,
    private readonly definitions: DefinitionWriter,
  ) {}

  onModuleInit(): void {
    this.links.register(this);
  }

  accepts(childKind: string): boolean {
    return childKind === KIND_KIND;
  }

  check({ model }: Session, groupId: string, _childKind: string, kindId: string): void {
    getGroup(model, groupId);
    if (!model.kinds.has(kindId)) throw unknownUnit(getBuiltInKind(model, KIND_KIND), kindId);
  }

  async add(session: Session, groupId: string, kindId: string): Promise<string> {
    const { kinds } = getGroup(session.model, groupId);
    if (!kinds.includes(kindId)) await this.#write(session, groupId, [...kinds, kindId]);
    return kindId;
  }

  async remove(session: Session, groupId: string, kindId: string): Promise<void> {
    const { kinds } = getGroup(session.model, groupId);
    if (!kinds.includes(kindId)) throw refusal('link.unknown', `'${kindId}' is not in the group '${groupId}'`);
    const others = kinds.filter((id) => id !== kindId);
    await this.#write(session, groupId, others);
  }

  #write(session: Session, groupId: string, kinds: readonly string[]): Promise<void> {
    return this.definitions.update(session, GROUP_KIND, groupId, { kind_list: kinds });
  }
}
