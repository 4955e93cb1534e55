/** Gives a definition another id where the body of an edit has `rename_to`: what it has stays, and so do those that name it. */
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { renameDefinitions } from '../catalog/definition/rename-definitions.js';
import { changeOf, type Session } from '../catalog/session/session.js';
import { GROUP_KIND, KIND_KIND, LINK_KIND } from '../model/built-in-traits.js';
import { reportTakenNames } from '../model/check/check-model.js';
import { RESERVED_LINK_PARAMETERS } from '../model/build/link-types.js';
import { RESERVED_PARAMETERS } from '../model/field.js';
import {
  isDefinitionKind,
  kindsUsing,
  linkTypesUsing,
  PARAMETER_GROUP,
  type Field,
  type KindDef,
} from '../model/model.js';
import { RENAME_TO, type Renames } from '../model/rename/renames.js';
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
    const now = kind.groups.includes(PARAMETER_GROUP) ? parameterRecordId({ ...namedByRecord(id), id: to }) : to;
    if (now === id) return { session, id };
    return { session: await this.renameAll([{ kind, id, to }], session), id: now };
  }

  /** Gives definitions other ids at once, so that two of them can change places. Returns the session with the new model. */
  async renameAll(given: readonly RenamedDefinition[], session: Session): Promise<Session> {
    const faults = new Faults();
    for (const each of given) this.#check(each, new Set(given.map(placeOf)), session, faults);
    faults.throwIfAny();
    const named = (sort: (kind: KindDef) => boolean): ReadonlyMap<string, string> =>
      new Map(given.filter(({ kind }) => sort(kind)).map(({ id, to }) => [id, to]));
    const renames: Renames = {
      kinds: named(({ id }) => id === KIND_KIND),
      parameters: named(({ groups }) => groups.includes(PARAMETER_GROUP)),
      groups: named(({ id }) => id === GROUP_KIND),
      linkTypes: named(({ id }) => id === LINK_KIND),
    };
    return { ...session, model: await renameDefinitions(session.project, changeOf(session), renames) };
  }

  /** @param leaving the ids that others give up: see `placeOf` */
  #check({ kind, id, to }: RenamedDefinition, leaving: ReadonlySet<string>, session: Session, faults: Faults): void {
    const { model } = session;
    if (kind.groups.includes(PARAMETER_GROUP)) return checkParameter(id, to, { session, leaving, faults });
    const stored = DEFINITION_IDS.get(kind.id)?.existing(model).get(id);
    const isExtended = kind.id === KIND_KIND && model.kinds.get(id)?.traits.extensible;
    if (stored?.builtIn || isExtended) throw refusal('kind.built_in', `'${id}' is built in and keeps its id`);
    if (!leaving.has(placeOf({ kind, id: to }))) checkNewId(to, kind.id, model, faults, RENAME_TO);
    if (kind.id === KIND_KIND) this.#checkModule(id, to, session);
  }

  /** Functions of a kind are found by its id. */
  #checkModule(id: string, to: string, { project, deployment }: Session): void {
    const has = (kindId: string) => deployment?.hasModule(project.id, kindId) === true;
    if (!has(id) || has(to)) return;
    const text = `'${id}' has a module of functions, which goes by its id: add one for '${to}' first, and rename the kind then`;
    throw refusal('model.module', text, { parameter: RENAME_TO });
  }
}

/** A definition that gets another id. */
interface RenamedDefinition {
  /** That of its record. */
  readonly kind: KindDef;
  readonly id: string;
  readonly to: string;
}

/** Where the id of a definition is taken: all parameters share their ids. */
function placeOf({ kind, id }: Pick<RenamedDefinition, 'kind' | 'id'>): string {
  return `${kind.groups.includes(PARAMETER_GROUP) ? PARAMETER_GROUP : kind.id}/${id}`;
}

interface ParameterCheck {
  readonly session: Session;
  readonly leaving: ReadonlySet<string>;
  readonly faults: Faults;
}

/** A parameter's name has to be free in each kind and link type that has it. */
function checkParameter(recordId: string, to: string, { session: { model }, leaving, faults }: ParameterCheck): void {
  const { ownKind } = namedByRecord(recordId);
  const isLeft = (field: Field | undefined) =>
    field !== undefined && leaving.has(`${PARAMETER_GROUP}/${parameterRecordId(field.def)}`);
  if (RESERVED_PARAMETERS.has(to))
    return faults.add('parameter.reserved', `${RENAME_TO}: every unit has '${to}'`, PLACE);
  const now = parameterRecordId({ id: to, ownKind });
  if (model.parameters.has(now) && !leaving.has(`${PARAMETER_GROUP}/${now}`)) {
    return faults.add('parameter.exists', `${RENAME_TO}: a parameter '${to}' exists already`, PLACE);
  }
  for (const kind of kindsUsing(model, recordId)) {
    const before = faults.messages.length;
    reportTakenNames([to], kind.groups, faults, kind);
    if (faults.messages.length > before || !kind.fields.has(to) || isLeft(kind.fields.get(to))) continue;
    faults.add('parameter.exists', `${RENAME_TO}: '${kind.id}' has a parameter '${to}' already`, PLACE);
  }
  for (const type of linkTypesUsing(model, recordId)) {
    const taken = RESERVED_LINK_PARAMETERS.has(to) ? `every link has '${to}'` : undefined;
    const text =
      taken ??
      (type.values.fields.has(to) && !isLeft(type.values.fields.get(to))
        ? `the link type '${type.id}' has a parameter '${to}' already`
        : undefined);
    if (text !== undefined) faults.add('parameter.exists', `${RENAME_TO}: ${text}`, PLACE);
  }
}

const PLACE = { parameter: RENAME_TO };

function bad(text: string) {
  return refusal('parameter.bad_value', `${RENAME_TO}: ${text}`, PLACE);
}
