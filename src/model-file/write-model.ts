/** Writes the definitions of a model file, in the order in which they need each other, as units of their kinds. */
import { Injectable } from '@nestjs/common';
import { asSystem, changeOf, type Session } from '../catalog/session/session.js';
import { loadModel } from '../catalog/model/model-store.js';
import type { FilledNulls } from '../catalog/definition/filled-nulls.js';
import { copyParameters } from '../catalog/definition/copied-parameters.js';
import { retypeParameters, type RetypedParameter } from '../catalog/definition/retype-parameters.js';
import { getBuiltInKind, isMemberKind, type KindDef, type Model } from '../model/model.js';
import { parseMatchingQuery, parseUpsertQuery } from '../http/route/parse-write-query.js';
import { refusal } from '../shared/errors.js';
import { LIMITS } from '../shared/limits.js';
import { lockTablesStatement } from '../sql/lock.sql.js';
import { namedByRecord } from '../shared/identifiers.js';
import { jsonEqual, type Json } from '../shared/json.js';
import type { ParameterTypeId } from '../model/parameter-type/parameter-types.js';
import { DefinitionRenames } from '../unit/definition-renames.js';
import { bodyOf } from '../unit/draft/draft.js';
import { UnitStores } from '../unit/unit-stores.js';
import type { Definition, Edit, ModelChanges } from './definitions.js';
import type { Seeds } from './read-model-file.js';
import { apiName, fieldsOf, type FileObject, type Section } from './sections.js';

/** Those that are written before the tables are changed. */
const OF_THE_MODEL: ReadonlySet<Section> = new Set(['parameters', 'kinds', 'links', 'groups']);

@Injectable()
export class ModelWriter {
  constructor(
    private readonly stores: UnitStores,
    private readonly renames: DefinitionRenames,
  ) {}

  /** @param definitions with `was`, where something of that name is there */
  rename(session: Session, definitions: readonly Definition[]): Promise<Session> {
    const renamed = definitions.map(({ kindId, id, was = id }) => ({
      kind: getBuiltInKind(session.model, kindId),
      id: was,
      to: namedByRecord(id).id,
    }));
    return renamed.length > 0 ? this.renames.renameAll(renamed, session) : Promise.resolve(session);
  }

  /** Gives each kind that has them an own one in place of shared ones. Returns the session with the new model. */
  async part(session: Session, shared: readonly Definition[]): Promise<Session> {
    if (shared.length === 0) return session;
    for (const definition of shared) {
      await this.#edit(session, { definition, values: { own: true }, before: definition.values }, new Map());
    }
    await copyParameters(session.project, changeOf(session));
    return reloaded(session);
  }

  /** Writes what makes the model. All of it is checked when it is there. */
  async writeModel(given: Session, changes: ModelChanges): Promise<void> {
    const { creates, edits, deletes } = changes;
    let session = given;
    const alone = standaloneOf(changes);
    const inline = inlineOf(creates.filter((each) => !alone.includes(each)));
    const of = <T extends { readonly section: Section }>(list: readonly T[], section: Section): readonly T[] =>
      list.filter((each) => each.section === section);
    const editsOf = (section: Section) => edits.filter(({ definition }) => definition.section === section);
    for (const definition of alone) await this.#create(session, definition, inline);
    session = await retyped(session, editsOf('parameters'));
    for (const edit of editsOf('parameters')) await this.#edit(session, edit, inline);
    session = await reloaded(session);
    for (const section of ['kinds', 'links', 'groups'] as const) {
      for (const definition of of(creates, section)) await this.#create(session, definition, inline);
      session = await reloaded(session);
    }
    for (const section of ['groups', 'kinds', 'links'] as const) {
      for (const edit of editsOf(section)) await this.#edit(session, edit, inline);
      session = await reloaded(session);
    }
    for (const section of ['links', 'parameters', 'kinds', 'groups'] as const) {
      for (const definition of of(deletes, section)) {
        if (isStored(session, definition)) await this.#delete(session, definition);
        session = await reloaded(session);
      }
    }
  }

  /** Writes what is no part of the model and follows it. */
  async writeOthers(session: Session, { creates, edits, deletes }: ModelChanges): Promise<void> {
    const isOther = ({ section }: Definition): boolean => !OF_THE_MODEL.has(section);
    for (const definition of deletes.filter(isOther)) await this.#delete(session, definition);
    for (const definition of creates.filter(isOther)) await this.#create(session, definition, new Map());
    for (const edit of edits.filter(({ definition }) => isOther(definition))) {
      await this.#edit(session, edit, new Map());
    }
  }

  /**
   * Makes the units of a file, or edits those that are there and differ. Returns how many, by kind. Their tables are locked,
   * so that no unit is made meanwhile of the same key.
   */
  async writeUnits(session: Session, seeds: readonly Seeds[]): Promise<ReadonlyMap<string, number>> {
    const written = new Map<string, number>();
    for (const { kindId, by, items } of seeds) {
      const kind = seededKind(session.model, kindId);
      const query = parseUpsertQuery([
        ['on_conflict', 'update'],
        ['by', by.join(',')],
      ]);
      await session.executor.run(lockTablesStatement(session.project.schema, [kind.table]));
      const units = await this.stores.of(kind).upserts.upsert(session, kind, items.map(bodyOf), query, { bulk: true });
      const changed = units.filter(({ result }) => result === 'created' || result === 'updated').length;
      if (changed > 0) written.set(kindId, changed);
    }
    return written;
  }

  /** Gives units of which a parameter is null its new value, as the system. */
  async fill(session: Session, filled: readonly FilledNulls[]): Promise<void> {
    for (const { kind: id, parameter, value } of filled) {
      const kind = session.model.kinds.get(id);
      if (!kind) continue;
      const query = parseMatchingQuery([
        ['filter', `isnull(${parameter})`],
        ['max_affected', String(LIMITS.affectedMax)],
      ]);
      const body = bodyOf({ [parameter]: value });
      await this.stores.of(kind).matching.updateAll(asSystem(session), kind, query, () => body);
    }
  }

  async #create(session: Session, definition: Definition, inline: Inline): Promise<void> {
    const kind = getBuiltInKind(session.model, definition.kindId);
    const body = { ...bodyWith(definition, definition.values, inline), id: definition.id };
    await this.stores.of(kind).creates.create(session, kind, [bodyOf(body)]);
  }

  async #edit(session: Session, { definition, values }: Edit, inline: Inline): Promise<void> {
    if (Object.keys(values).length === 0) return;
    const kind = getBuiltInKind(session.model, definition.kindId);
    const body = bodyWith(definition, { ...values, ...wholeList(session, definition, values) }, inline);
    await this.stores.of(kind).updates.update(session, kind, definition.id, () => bodyOf(body));
  }

  async #delete(session: Session, { kindId, id }: Definition): Promise<void> {
    const kind = getBuiltInKind(session.model, kindId);
    await this.stores.of(kind).deletions.delete(session, kind, id);
  }
}

/** A kind of users that has a table, and no members. @throws KindError 400 */
function seededKind(model: Model, id: string): KindDef {
  const kind = model.kinds.get(id);
  if (kind && !kind.builtIn && kind.storage.hasTable && !kind.traits.contents && !isMemberKind(kind)) return kind;
  const why = kind ? 'has members, contents or no table, or is built in' : 'is no kind of the project';
  throw refusal('model.bad_file', `units.${id} ${why}: a model file has units of other kinds alone`, {
    parameter: `units.${id}`,
  });
}

/** The kinds of a group, with the built-in ones, which no file has. */
function wholeList({ model }: Session, { section, id }: Definition, { kind_list: list }: FileObject): FileObject {
  if (section !== 'groups' || !Array.isArray(list)) return {};
  const builtIn = (model.groups.get(id)?.kinds ?? []).filter((kind) => model.kinds.get(kind)?.builtIn);
  return { kind_list: [...builtIn, ...(list as readonly string[])] };
}

/** New parameters that are made before what has them: those that stand by themselves, or that several have. */
function standaloneOf({ creates, edits }: ModelChanges): Definition[] {
  const written = [...creates, ...edits.map(({ definition, values }) => ({ ...definition, values }))];
  const users = new Map<string, number>();
  for (const { values } of written) {
    const names = (values['parameters'] ?? []) as readonly string[];
    for (const name of names) users.set(name, (users.get(name) ?? 0) + 1);
  }
  return creates.filter(({ section, id, owner, values }) => {
    return section === 'parameters' && (owner === undefined || (values['own'] !== true && (users.get(id) ?? 0) > 1));
  });
}

/** New parameters that are defined in the bodies of kinds and link types, by their owner and name. */
type Inline = ReadonlyMap<string, Definition>;

function inlineOf(creates: readonly Definition[]): Inline {
  return new Map(
    creates.flatMap((definition) =>
      definition.owner === undefined ? [] : [[placeOf(definition.owner, namedByRecord(definition.id).id), definition]],
    ),
  );
}

function placeOf(owner: string, name: string): string {
  return `${owner}.${name}`;
}

/** The body of the API: new parameters that stand in a kind or link type are defined in its list. */
function bodyWith({ kindId, id }: Definition, values: FileObject, inline: Inline): Record<string, Json> {
  const body: Record<string, Json> = {};
  for (const [name, value] of Object.entries(values)) body[apiName(kindId, name)] = value;
  const { parameters } = values;
  if (Array.isArray(parameters)) {
    body['parameters'] = (parameters as readonly string[]).map((name): Json => {
      const made = inline.get(placeOf(id, name));
      return made ? { ...bodyWith(made, made.values, inline), id: name, kind_id: made.kindId } : name;
    });
  }
  return body;
}

/** Whether it was not deleted with something else. */
function isStored({ model }: Session, { section, id }: Definition): boolean {
  switch (section) {
    case 'parameters':
      return model.parameters.has(id);
    case 'kinds':
      return model.kinds.has(id);
    case 'links':
      return model.linkTypes.has(id);
    default:
      return true;
  }
}

/** Gives parameters their new types. */
async function retyped(session: Session, edits: readonly Edit[]): Promise<Session> {
  const given = edits.flatMap(({ definition, from, former = {}, before }): RetypedParameter[] => {
    if (from === undefined) return [];
    const values: Record<string, Json> = {};
    for (const [name, { id, column = id }] of fieldsOf(from)) {
      if (!jsonEqual(former[name] ?? null, before[name] ?? null)) values[column] = before[name] ?? null;
    }
    return [{ id: definition.id, from, to: definition.kindId as ParameterTypeId, values }];
  });
  if (given.length === 0) return session;
  return { ...session, model: await retypeParameters(session.project, changeOf(session), session.model, given) };
}

/** The session with what it has written. */
async function reloaded(session: Session): Promise<Session> {
  const { tx } = changeOf(session);
  return { ...session, model: await loadModel(tx, session.project, { known: session.model }) };
}
