/** The link type `parameter` of the system: adds parameters to kinds and removes them. */
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { KIND_KIND, PARAMETER_LINK } from '../model/built-in-traits.js';
import { reportTakenNames } from '../model/check/check-model.js';
import { getBuiltInKind, type KindDef } from '../model/model.js';
import { isParameterTypeId } from '../model/parameter-type/type-by-id.js';
import { Faults, refusal } from '../shared/errors.js';
import { DefinitionWriter } from '../unit/definition-writer.js';
import type { Session } from '../catalog/session/session.js';
import { unknownUnit } from '../unit/session/unit-ids.js';
import { SystemLinks, type SystemLink } from '../unit/system-links.js';

@Injectable()
export class ParameterLink implements SystemLink, OnModuleInit {
  readonly linkId = PARAMETER_LINK;
  readonly parentKind = KIND_KIND;

  constructor(
    private readonly links: SystemLinks,
    private readonly definitions: DefinitionWriter,
  ) {}

  onModuleInit(): void {
    this.links.register(this);
  }

  accepts(childKind: string): boolean {
    return isParameterTypeId(childKind);
  }

  check(session: Session, kindId: string, parameterType: string, parameterId: string): void {
    const { model } = session;
    this.#kindOf(session, kindId);
    if (model.parameters.get(parameterId)?.type === parameterType) return;
    throw unknownUnit(getBuiltInKind(model, parameterType), parameterId);
  }

  async add(session: Session, kindId: string, parameterId: string): Promise<string> {
    const kind = this.#kindOf(session, kindId);
    if (!kind.parameters.includes(parameterId)) {
      const faults = new Faults();
      reportTakenNames([parameterId], kind.groups, faults);
      faults.throwIfAny();
      await this.#write(session, kind, { parameters: [...kind.parameters, parameterId] });
    }
    return kindId;
  }

  async remove(session: Session, kindId: string, parameterId: string): Promise<void> {
    const kind = this.#kindOf(session, kindId);
    if (!kind.parameters.includes(parameterId))
      throw refusal('link.unknown', `'${kindId}' has no parameter '${parameterId}'`);
    await this.removeFrom(session, kind, parameterId);
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

  #kindOf({ model }: Session, id: string): KindDef {
    const kind = model.kinds.get(id);
    if (!kind) throw unknownUnit(getBuiltInKind(model, KIND_KIND), id);
    if (kind.builtIn) throw refusal('kind.built_in', `'${id}' is built in: it keeps its parameters`);
    return kind;
  }

  #write(session: Session, kind: KindDef, values: Record<string, unknown>): Promise<void> {
    return this.definitions.update(session, KIND_KIND, kind.id, values);
  }
}
