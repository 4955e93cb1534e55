/** Gives a definition another id where the body of an edit has `rename_to`: what it has stays, and so do those that name it. */
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { renameDefinitions } from '../catalog/definition/rename-definitions.js';
import { changeOf, type Session } from '../catalog/session/session.js';
import { GROUP_KIND, KIND_KIND, LINK_KIND } from '../model/built-in-traits.js';
import { reportTakenNames } from '../model/check/check-model.js';
import { RESERVED_LINK_PARAMETERS } from '../model/build/link-types.js';
import { RESERVED_PARAMETERS } from '../model/field.js';
import { isDefinitionKind, kindsUsing, linkTypesUsing, PARAMETER_GROUP, type KindDef } from '../model/model.js';
import { NO_RENAMES, RENAME_TO, type Renames } from '../model/rename/renames.js';
import { Faults, refusal } from '../shared/errors.js';
import { IDENTIFIER_HINT, isIdentifier, namedByRecord, parameterRecordId } from '../shared/identifiers.js';
import { typeName } from '../shared/json.js';
import { shortened } from '../shared/texts.js';
import { checkNewId, DEFINITION_IDS } from './definitions.js';
import { Behaviors, type RegisteredBehavior, type Renamed } from './draft/behavior.js';

@Injectable()
export class DefinitionRenames implements RegisteredBehavior, OnModuleInit {
  readonly definition = true;

  constructor(private readonly behaviors: Behaviors) {}

  onModuleInit(): void {
    this.behaviors.register(this);
  }

  applies(kind: KindDef): boolean {
    return isDefinitionKind(kind);
  }

  async rename(kind: KindDef, id: string, to: unknown, session: Session): Promise<Renamed> {
    if (!isIdentifier(to)) {
      const given = typeof to === 'string' ? `'${shortened(to)}'` : typeName(to);
      throw bad(`must be an id: ${IDENTIFIER_HINT}; got ${given}`);
    }
    const faults = new Faults();
    const renames = this.#renames(kind, id, to, session, faults);
    faults.throwIfAny();
    if (!renames) return { session, id };
    const change = changeOf(session);
    const model = await renameDefinitions(session.project, change, renames);
    const now = kind.groups.includes(PARAMETER_GROUP) ? parameterRecordId({ ...namedByRecord(id), id: to }) : to;
    return { session: { ...session, model }, id: now };
  }

  /** Undefined if it has that id. */
  #renames(kind: KindDef, id: string, to: string, session: Session, faults: Faults): Renames | undefined {
    const { model } = session;
    const one = new Map([[id, to]]);
    if (kind.groups.includes(PARAMETER_GROUP)) {
      if (namedByRecord(id).id === to) return undefined;
      checkParameter(id, to, session, faults);
      return { ...NO_RENAMES, parameters: one };
    }
    if (id === to) return undefined;
    const stored = DEFINITION_IDS.get(kind.id)?.existing(model).get(id);
    const isExtended = kind.id === KIND_KIND && model.kinds.get(id)?.traits.extensible;
    if (stored?.builtIn || isExtended) throw refusal('kind.built_in', `'${id}' is built in and keeps its id`);
    checkNewId(to, kind.id, model, faults, RENAME_TO);
    if (kind.id === GROUP_KIND) return { ...NO_RENAMES, groups: one };
    if (kind.id === LINK_KIND) return { ...NO_RENAMES, linkTypes: one };
    this.#checkModule(id, to, session);
    return { ...NO_RENAMES, kinds: one };
  }

  /** Functions of a kind are found by its id. */
  #checkModule(id: string, to: string, { project, deployment }: Session): void {
    const has = (kindId: string) => deployment?.hasModule(project.id, kindId) === true;
    if (!has(id) || has(to)) return;
    const text = `'${id}' has a module of functions, which goes by its id: add one for '${to}' first, and rename the kind then`;
    throw refusal('model.module', text, { parameter: RENAME_TO });
  }
}

/** A parameter's name has to be free in each kind and link type that has it. */
function checkParameter(recordId: string, to: string, { model }: Session, faults: Faults): void {
  const { ownKind } = namedByRecord(recordId);
  if (RESERVED_PARAMETERS.has(to))
    return faults.add('parameter.reserved', `${RENAME_TO}: every unit has '${to}'`, PLACE);
  if (model.parameters.has(parameterRecordId({ id: to, ownKind }))) {
    return faults.add('parameter.exists', `${RENAME_TO}: a parameter '${to}' exists already`, PLACE);
  }
  for (const kind of kindsUsing(model, recordId)) {
    const before = faults.messages.length;
    reportTakenNames([to], kind.groups, faults, kind);
    if (faults.messages.length > before || !kind.fields.has(to)) continue;
    faults.add('parameter.exists', `${RENAME_TO}: '${kind.id}' has a parameter '${to}' already`, PLACE);
  }
  for (const type of linkTypesUsing(model, recordId)) {
    const taken = RESERVED_LINK_PARAMETERS.has(to) ? `every link has '${to}'` : undefined;
    const text =
      taken ?? (type.values.fields.has(to) ? `the link type '${type.id}' has a parameter '${to}' already` : undefined);
    if (text !== undefined) faults.add('parameter.exists', `${RENAME_TO}: ${text}`, PLACE);
  }
}

const PLACE = { parameter: RENAME_TO };

function bad(text: string) {
  return refusal('parameter.bad_value', `${RENAME_TO}: ${text}`, PLACE);
}
