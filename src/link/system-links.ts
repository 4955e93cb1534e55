/**
 * The system's own link types, which kinds of the model have in place of users' links: `group` adds a kind to a group,
 * `parameter` adds a parameter to a kind.
 */
import { Injectable } from '@nestjs/common';
import type { Session } from '../catalog/session/session.js';
import { GROUP_KIND, GROUP_LINK, KIND_KIND, PARAMETER_LINK, type SYSTEM_LINK_TYPES } from '../model/built-in-traits.js';
import { reportTakenNames } from '../model/check/check-model.js';
import { getBuiltInKind, getGroup, recordOfParameter, type KindDef, type Model } from '../model/model.js';
import { namedByRecord } from '../shared/identifiers.js';
import { isParameterTypeId } from '../model/parameter-type/type-by-id.js';
import { Faults, refusal } from '../shared/errors.js';
import { DefinitionWriter, withoutParameter } from '../unit/definitions.js';
import { unknownUnit } from '../unit/store/unit-ids.js';

/** A link type whose links are the ids in a list of the parent's definition. */
interface LinkedDefinitions {
  readonly linkId: (typeof SYSTEM_LINK_TYPES)[number];
  readonly parentKind: string;
  /** Whether units of that kind can be the child. */
  accepts(childKind: string): boolean;
  hasChild(model: Model, childKind: string, childId: string): boolean;
  /** The ids in the list. @throws KindError 404 if there is no such parent, 403 if it cannot be linked */
  linked(model: Model, parentId: string): readonly string[];
  /** The values of the parent's record with and without a child. */
  added(model: Model, parentId: string, childId: string): Record<string, unknown>;
  removed(model: Model, parentId: string, childId: string): Record<string, unknown>;
  /** The id of the kind, whose record the endpoint answers. */
  kindOf(parentId: string, childId: string): string;
  notLinked(parentId: string, childId: string): string;
}

const KINDS_OF_GROUPS: LinkedDefinitions = {
  linkId: GROUP_LINK,
  parentKind: GROUP_KIND,
  accepts: (childKind) => childKind === KIND_KIND,
  hasChild: ({ kinds }, _childKind, kindId) => kinds.has(kindId),
  linked: (model, groupId) => getGroup(model, groupId).kinds,
  added: (model, groupId, kindId) => ({ kind_list: [...getGroup(model, groupId).kinds, kindId] }),
  removed: (model, groupId, kindId) => ({ kind_list: getGroup(model, groupId).kinds.filter((id) => id !== kindId) }),
  kindOf: (_groupId, kindId) => kindId,
  notLinked: (groupId, kindId) => `'${kindId}' is not in the group '${groupId}'`,
};

const PARAMETERS_OF_KINDS: LinkedDefinitions = {
  linkId: PARAMETER_LINK,
  parentKind: KIND_KIND,
  accepts: isParameterTypeId,
  hasChild: ({ parameters }, type, parameterId) => parameters.get(parameterId)?.type === type,
  linked: (model, kindId) => {
    const kind = usersKind(model, kindId);
    return kind.parameters.map((id) => recordOfParameter(kind, id));
  },
  added: (model, kindId, recordId) => {
    const { parameters, groups } = usersKind(model, kindId);
    const { id, ownKind } = namedByRecord(recordId);
    const faults = new Faults();
    const bad = (text: string) => faults.add('kind.bad_definition', `parameters: ${text}`, { parameter: 'parameters' });
    if (ownKind !== undefined) bad(`'${recordId}' is a parameter of '${ownKind}' alone`);
    else if (parameters.includes(id)) bad(`'${kindId}' has a parameter '${id}' of its own`);
    reportTakenNames([id], groups, faults);
    faults.throwIfAny();
    return { parameters: [...parameters, id] };
  },
  removed: (model, kindId, recordId) => withoutParameter(usersKind(model, kindId), namedByRecord(recordId).id),
  kindOf: (kindId) => kindId,
  notLinked: (kindId, parameterId) => `'${kindId}' has no parameter '${parameterId}'`,
};

/** @throws KindError 404, 403 */
function usersKind(model: Model, id: string): KindDef {
  const kind = model.kinds.get(id);
  if (!kind) throw unknownUnit(getBuiltInKind(model, KIND_KIND), id);
  if (kind.builtIn) throw refusal('kind.built_in', `'${id}' is built in: it keeps its parameters`);
  return kind;
}

export class SystemLink {
  constructor(
    readonly type: LinkedDefinitions,
    private readonly definitions: DefinitionWriter,
  ) {}

  /** @throws KindError 404 if one of the two does not exist, 403 for a parent that cannot be linked */
  check({ model }: Session, parentId: string, childKind: string, childId: string): void {
    this.type.linked(model, parentId);
    if (!this.type.hasChild(model, childKind, childId)) throw unknownUnit(getBuiltInKind(model, childKind), childId);
  }

  /** Returns the id of the kind, whose record the endpoint answers. */
  async add(session: Session, parentId: string, childId: string): Promise<string> {
    const { type } = this;
    if (!type.linked(session.model, parentId).includes(childId))
      await this.#write(session, parentId, type.added(session.model, parentId, childId));
    return type.kindOf(parentId, childId);
  }

  async remove(session: Session, parentId: string, childId: string): Promise<void> {
    const { type } = this;
    if (!type.linked(session.model, parentId).includes(childId))
      throw refusal('link.unknown', type.notLinked(parentId, childId));
    await this.#write(session, parentId, type.removed(session.model, parentId, childId));
  }

  #write(session: Session, parentId: string, values: Record<string, unknown>): Promise<void> {
    return this.definitions.update(session, this.type.parentKind, parentId, values);
  }
}

@Injectable()
export class SystemLinks {
  readonly #links: readonly SystemLink[];

  constructor(definitions: DefinitionWriter) {
    this.#links = [KINDS_OF_GROUPS, PARAMETERS_OF_KINDS].map((type) => new SystemLink(type, definitions));
  }

  find(parentKind: string, linkId: string, childKind: string): SystemLink | undefined {
    return this.#links.find(
      ({ type }) => type.parentKind === parentKind && type.linkId === linkId && type.accepts(childKind),
    );
  }
}
