/** Writes of kinds: creates the parameters that are defined in their bodies, and checks what tables are made from. */
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { checkAccepted, remainingAccepted } from '../access/accepted.js';
import { checkAccess } from '../access/check-access.js';
import { suggestableIds } from '../access/suggestable-ids.js';
import {
  checkLists,
  checkListShape,
  checkReference,
  definitionsOf,
  type Listed,
  reportTakenNames,
  reportUnknownParameter,
} from '../model/check/check-model.js';
import { checkCheckShape } from '../model/check/kind-checks.js';
import { grantedFields, grantedNames } from '../model/built-in/built-in.js';
import { CHANGES } from '../model/changes.js';
import { type AcceptedAccess, isMemberKind, type KindDef, MEMBER_GROUP, referencesTo } from '../model/model.js';
import { isIdentifier, parameterRecordId } from '../shared/identifiers.js';
import { CREDENTIAL_KIND, GROUP_KIND, KIND_KIND, NO_TRAITS } from '../model/built-in-traits.js';
import { refusal } from '../shared/errors.js';
import { isPlainObject, type Json, jsonEqual, scalarText } from '../shared/json.js';
import { checkNewId, DefinitionWriter, idOfBody, InlineParameters, withLabel } from '../unit/definitions.js';
import { Behaviors, type PendingWrite, type RegisteredBehavior } from '../unit/draft/behavior.js';
import { type Body, bodyOf, type Draft, withSystemValue } from '../unit/draft/draft.js';
import { changeOf, originalCallerOf, type Session } from '../catalog/session/session.js';
import { isReference } from '../model/parameter-type/parameter-type.js';
import { isParameterTypeId, parameterType } from '../model/parameter-type/type-by-id.js';

/** The fields of a built-in kind that may be edited. */
const EDITABLE_OF_BUILT_IN = new Set(['id', 'kind_id', 'type', 'label', 'metadata', 'access', 'accepted', 'changes']);

@Injectable()
export class KindBehavior implements RegisteredBehavior, OnModuleInit {
  readonly definition = true;
  /** The bodies before their inline parameters are created. */
  readonly #bodies = new WeakMap<PendingWrite, Body>();

  constructor(
    private readonly behaviors: Behaviors,
    private readonly definitions: DefinitionWriter,
    private readonly inline: InlineParameters,
  ) {}

  onModuleInit(): void {
    this.behaviors.register(this);
  }

  applies(kind: KindDef): boolean {
    return kind.id === KIND_KIND;
  }

  async prepare(given: Body, write: PendingWrite): Promise<Body> {
    const body = withoutGranted(withoutFixedFields(given, write), write);
    this.#bodies.set(write, body);
    const parameters = body.get('parameters');
    const labelled = write.id === undefined ? withLabel(body) : body;
    if (!Array.isArray(parameters)) return labelled;
    const own = await this.inline.create(parameters, write.id ?? idOfBody(labelled), write);
    const granted = grantedTo(write);
    const stored = write.session.model.kinds.get(write.id ?? '')?.parameters ?? [];
    const added = own.filter((id) => !stored.some((each) => each === id));
    reportTakenNames(added, groupsOfEditedKind(write), write.faults, editedKind(write));
    return new Map([
      ...labelled,
      ['parameters', [...granted, ...own.filter((id) => !granted.some((each) => each === id))]],
    ]);
  }

  complete(draft: Draft, write: PendingWrite): Draft {
    const { session, faults, id } = write;
    const kindId = id ?? scalarText(draft.row['id']);
    if (id === undefined) checkNewId(kindId, KIND_KIND, session.model, faults);
    for (const key of ['unique', 'indexes']) checkListShape(key, draft.values.get(key), faults);
    checkCheckShape(draft.values.get('checks'), faults);
    checkParameterNames(draft.values.get('parameters'), kindId, write);
    const access = draft.values.get('access');
    if (access !== undefined && access !== null)
      checkAccess(session.model.kinds.get(kindId)?.traits ?? NO_TRAITS, access, faults);
    checkAccepted(draft.values.get('accepted'), faults);
    checkChanges(kindId, draft, write);
    const body = this.#bodies.get(write);
    if (faults.any && body) checkBodyLists(kindId, body, draft.values, write);
    changeOf(session).kinds.add(kindId);
    if (draft.values.has('access')) changeOf(session).access.add(kindId);
    if (draft.values.has('metadata')) changeOf(session).writesMetadata = true;
    return faults.any ? draft : withRemainingAccepted(draft, kindId, write);
  }

  async beforeDelete(_: KindDef, id: string, session: Session): Promise<void> {
    const kind = session.model.kinds.get(id);
    if (!kind) return;
    if (kind.builtIn || kind.traits.extensible) {
      throw refusal('kind.built_in', `'${id}' is built in and cannot be deleted`);
    }
    const others = referencesTo(session.model, id).filter((reference) => reference.kind.id !== id);
    if (others.length > 0) {
      const names = others.map((reference) => `'${reference.kind.id}' by '${reference.field.id}'`).join(', ');
      throw refusal('kind.referenced', `'${id}' is referred to by ${names}`);
    }
    for (const { id: groupId, kinds } of session.model.groups.values()) {
      if (!kinds.includes(id)) continue;
      const others = kinds.filter((member) => member !== id);
      await this.definitions.update(session, GROUP_KIND, groupId, { kind_list: others });
    }
  }
}

/** The draft of an edit, as its answer shows it: without what was accepted of access that it changes. */
function withRemainingAccepted(
  draft: Draft,
  id: string,
  { kind: { fields }, session: { model } }: PendingWrite,
): Draft {
  const [stored, field] = [model.kinds.get(id), fields.get('accepted')];
  if (!stored || !field) return draft;
  const { values } = draft;
  const given = ['access', 'active', 'public'].flatMap((name) => (values.has(name) ? [[name, values.get(name)]] : []));
  const accepted = values.has('accepted') ? ((values.get('accepted') ?? {}) as AcceptedAccess) : stored.accepted;
  const edited: KindDef = { ...stored, ...(Object.fromEntries(given) as Partial<KindDef>), accepted };
  const after = { ...model, kinds: new Map([...model.kinds, [id, edited]]) };
  const left = remainingAccepted(model, after).get(id);
  return left ? withSystemValue(draft, field, left) : draft;
}

/** Adds a fault for what cannot be recorded of a kind's changes. */
function checkChanges(kindId: string, { values }: Draft, { id, session: { model }, faults }: PendingWrite): void {
  const changes = values.get('changes');
  if (changes === undefined) return;
  const kind = id === undefined ? undefined : model.kinds.get(id);
  const allowed: readonly Json[] =
    (values.get('remote') ?? kind?.storage.type === 'remote') === true
      ? ['none']
      : kind && isMemberKind(kind)
        ? CHANGES.filter((each) => each !== 'none')
        : kind?.builtIn
          ? [kind.changes]
          : CHANGES;
  if (allowed.includes(changes)) return;
  const one = allowed.map((each) => `'${scalarText(each)}'`).join(' or ');
  faults.add('kind.changes', `changes: of '${kindId}' must be ${one}`, { parameter: 'changes' });
}

/** Removes unchanged fixed fields from the body of a built-in kind. @throws KindError 403 if one is changed */
function withoutFixedFields(body: Body, { id, session }: PendingWrite): Body {
  const kind = id === undefined ? undefined : session.model.kinds.get(id);
  if (!kind?.builtIn) return body;
  const { storage, historyKeep = null, ...others } = kind;
  const more = { remote: storage.type === 'remote', history_keep: historyKeep };
  const stored = new Map<string, unknown>([...Object.entries(others), ...Object.entries(more)]);
  const kept = [...body].filter(([key]) => !EDITABLE_OF_BUILT_IN.has(key));
  const changed = kept.filter(([key, value]) => !jsonEqual(stored.get(key), value)).map(([key]) => key);
  if (changed.length === 0) return new Map([...body].filter(([key]) => EDITABLE_OF_BUILT_IN.has(key)));
  const text = `'${kind.id}' is built in: its label, metadata, access and accepted can be edited, not ${changed.join(', ')}`;
  throw refusal('kind.built_in', text);
}

/** The kind as it is before the edit; undefined for a new one. */
function editedKind({ id, session }: Pick<PendingWrite, 'id' | 'session'>): KindDef | undefined {
  return id === undefined ? undefined : session.model.kinds.get(id);
}

/** The groups of the kind that is edited; none for a new or a built-in kind. */
function groupsOfEditedKind(write: PendingWrite): readonly string[] {
  const kind = editedKind(write);
  return kind && !kind.builtIn ? kind.groups : [];
}

/** The names in the kind's list of parameters that are no parameters. */
function grantedTo(write: PendingWrite): string[] {
  const kind = editedKind(write);
  return kind && !kind.builtIn ? grantedNames(kind, kind.groups) : [];
}

/**
 * Removes what is granted from a list of parameters as a record has it. Applies to edits of member kinds and of
 * extensible ones, and to new kinds that are made from the record of a member kind.
 */
function withoutGranted(body: Body, write: PendingWrite): Body {
  const list = body.get('parameters');
  if (!Array.isArray(list)) return body;
  const kind = editedKind(write);
  const ofMember = list.includes(CREDENTIAL_KIND) && (!kind || groupsOfEditedKind(write).includes(MEMBER_GROUP));
  const granted = new Set<unknown>([
    ...(ofMember ? grantedFields([MEMBER_GROUP]).map(({ id }) => id) : []),
    ...(kind?.traits.extensible && list.includes('id') ? grantedNames(kind, []) : []),
  ]);
  return granted.size === 0 ? body : new Map([...body, ['parameters', list.filter((entry) => !granted.has(entry))]]);
}

/** Adds faults for names that are no parameters, together with the other faults of the body. */
function checkParameterNames(list: Json | undefined, kindId: string, write: PendingWrite): void {
  if (!Array.isArray(list)) return;
  const { session, faults } = write;
  const { parameters } = session.model;
  const known = [parameters, new Set(grantedTo(write)), changeOf(session).parameters];
  for (const id of list as string[]) {
    const records = [id, parameterRecordId({ id, ownKind: kindId })];
    if (isIdentifier(id) && known.some((ids) => records.some((record) => ids.has(record)))) continue;
    reportUnknownParameter(id, suggestableIds(session.model, originalCallerOf(session)).parameters(), faults);
  }
}

/**
 * Checks the lists in the body of a kind that has other faults, so that all are reported together. A body without
 * faults is checked by `checkModel`, after everything has been written.
 * @param id of the kind @param values the valid values of the body
 */
function checkBodyLists(
  id: string,
  body: Body,
  values: ReadonlyMap<string, Json>,
  { session, faults }: Pick<PendingWrite, 'session' | 'faults'>,
): void {
  const { model } = session;
  const stored = model.kinds.get(id);
  const suggestable = suggestableIds(model, originalCallerOf(session));
  const given = body.get('parameters');
  const entries: readonly unknown[] = Array.isArray(given) ? given : (stored?.parameters ?? []);
  const known = new Map<string, Listed>([...model.parameters, ...(stored ? definitionsOf(stored) : [])]);
  const names: string[] = [];
  for (const [at, entry] of entries.entries()) {
    if (typeof entry === 'string') names.push(entry);
    if (!isPlainObject(entry)) continue;
    const definition = withLabel(bodyOf(entry));
    const [name, type, target] = [idOfBody(definition), definition.get('kind_id'), definition.get('reference_kind')];
    // Duplicate definitions are reported already.
    if (name !== undefined && !names.includes(name)) names.push(name);
    const isShared = known.has(name ?? '') && definition.get('own') !== true;
    if (name === undefined || isShared || typeof type !== 'string' || !isParameterTypeId(type)) continue;
    const is = (key: string) => definition.get(key) === true;
    known.set(name, { type, primary: is('is_primary'), multiple: is('multiple'), runTime: is('only_run_time') });
    if (isReference(parameterType(type)) && typeof target === 'string' && target !== id) {
      checkReference({ referenceKind: target }, model, suggestable, faults, at);
    }
  }
  // Unknown names are reported with their position in the list of parameters.
  const unknown = names.filter((name) => !known.has(name));
  for (const name of unknown) known.set(name, { type: 'string', primary: false, multiple: false, runTime: false });
  const listed = (key: 'unique' | 'indexes') =>
    values.has(key) ? stringLists(values.get(key)) : (stored?.[key] ?? []);
  checkLists({ parameters: names, unique: listed('unique'), indexes: listed('indexes') }, known, faults);
}

function stringLists(value: Json | undefined): string[][] {
  if (!Array.isArray(value)) return [];
  return (value as Json[]).flatMap((list) =>
    Array.isArray(list) ? [(list as Json[]).filter((each) => typeof each === 'string')] : [],
  );
}
