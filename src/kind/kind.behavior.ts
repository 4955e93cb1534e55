/** What is special about the units of `kind`: they bring parameters along, and their tables follow them. */
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { checkAccess } from '../access/check-access.js';
import { tellUnknownParameter } from '../model/check-model.js';
import { RESERVED_KINDS } from '../model/built-in.js';
import { referencesTo, type KindDef } from '../model/model.js';
import type { ParameterDef } from '../model/parameter-def.js';
import { isParameterTypeId, PARAMETER_TYPES } from '../model/parameter-type/registry.js';
import { PLAIN } from '../model/special.js';
import { Faults, KindError, refusal } from '../shared/errors.js';
import { isSystemIdentifier } from '../shared/identifiers.js';
import { isPlainObject, jsonEqual, typeName, type Json, scalarText } from '../shared/json.js';
import { LIMITS } from '../shared/limits.js';
import { checkBodyLists } from './kind.lists.js';
import { Behaviors, type Behavior, type PendingWrite } from '../unit/behavior.js';
import { bodyOf, type Body, type Draft } from '../unit/draft.js';
import { Drafter } from '../unit/drafter.js';
import { idOfBody, withLabel } from '../unit/identified.js';
import { asSystem, changeOf, type Session } from '../unit/session.js';
import { UnitWriter } from '../unit/unit.writer.js';

/** What owners may edit of a built-in kind. */
const EDITABLE_OF_BUILT_IN = new Set(['id', 'kind_id', 'type', 'label', 'metadata', 'access']);

/** A parameter that is defined in the list of a kind, and where. */
interface Inline {
  readonly at: number;
  readonly body: Body;
}

@Injectable()
export class KindBehavior implements Behavior, OnModuleInit {
  readonly definition = true;
  /** Bodies as they came, before what they define was made. */
  readonly #bodies = new WeakMap<PendingWrite, Body>();

  constructor(
    private readonly behaviors: Behaviors,
    private readonly writer: UnitWriter,
    private readonly drafter: Drafter,
  ) {}

  onModuleInit(): void {
    this.behaviors.register(this);
  }

  applies(kind: KindDef): boolean {
    return kind.id === 'kind';
  }

  async prepare(given: Body, write: PendingWrite): Promise<Body> {
    const body = withoutKept(given, write);
    this.#bodies.set(write, body);
    const parameters = body.get('parameters');
    const labelled = write.id === undefined ? withLabel(body) : body;
    if (!Array.isArray(parameters) || !parameters.some(isPlainObject)) return labelled;
    const kindId = write.id ?? idOfBody(labelled);
    return new Map([...labelled, ['parameters', await this.#createInline(parameters, kindId, write)]]);
  }

  /**
   * The list of ids of parameters. Those that are defined in place are made, those of one type in one statement, but for
   * a definition that says what is stored under its id.
   */
  async #createInline(
    entries: readonly unknown[],
    kindId: string | undefined,
    write: PendingWrite,
  ): Promise<unknown[]> {
    const { session, faults } = write;
    if (entries.length > LIMITS.parametersPerKind) {
      const text = `parameters: at most ${LIMITS.parametersPerKind}, got ${entries.length}`;
      throw refusal('kind.bad_definition', text, { parameter: 'parameters' });
    }
    const ids: unknown[] = [...entries];
    const byType = new Map<string, Inline[]>();
    const seen = new Set<unknown>();
    for (const [at, entry] of entries.entries()) {
      if (!isPlainObject(entry)) continue;
      const body = withLabel(bodyOf(entry));
      const [type, id] = [body.get('kind_id'), idOfBody(body)];
      const stored = id === undefined ? undefined : session.model.parameters.get(id);
      if (typeof type !== 'string' || !isParameterTypeId(type)) {
        const hint =
          typeof type === 'string' ? faults.hint(type, session.model.groups.get('parameter')?.kinds ?? []) : '';
        const wants = `must be a parameter type${hint}: ${[...PARAMETER_TYPES.keys()].join(', ')}`;
        faults.add('parameter.bad_value', `parameters[${at}].kind_id: ${wants}`, { parameter: 'parameters' });
        ids[at] = undefined;
      } else if (id !== undefined && seen.has(id)) {
        faults.add('parameter.duplicate', `parameters[${at}].id: is defined twice in this body`, {
          parameter: 'parameters',
        });
        ids[at] = undefined;
      } else if (stored?.type === type) {
        seen.add(id);
        ids[at] = await this.#said(type, { at, body }, stored, write);
        if (stored.definedIn && kindId !== undefined) changeOf(session).definedIn.set(stored.id, kindId);
      } else {
        seen.add(id);
        byType.set(type, [...(byType.get(type) ?? []), { at, body }]);
      }
    }
    for (const [type, definitions] of byType) {
      const made = await this.#createOfType(type, definitions, write);
      definitions.forEach(({ at }, n) => (ids[at] = made?.[n]));
      if (kindId !== undefined) made?.forEach((id) => changeOf(session).definedIn.set(id, kindId));
    }
    return ids.filter((id) => id !== undefined);
  }

  /** The id of the stored parameter, where a definition says the same; else its behaviour tells what differs. */
  async #said(
    type: string,
    { at, body }: Inline,
    { id }: ParameterDef,
    write: PendingWrite,
  ): Promise<string | undefined> {
    const { session } = write;
    changeOf(session).inline.set(id, at);
    const kind = session.model.kinds.get(type);
    return (
      kind &&
      this.#telling([{ at, body }], write, async () => {
        const faults = new Faults();
        await this.drafter.creates(session, kind, [body], { writer: session.caller, bulk: true, faults });
        faults.throwIfAny();
        return id;
      })
    );
  }

  #createOfType(
    type: string,
    definitions: readonly Inline[],
    write: PendingWrite,
  ): Promise<readonly string[] | undefined> {
    const { session } = write;
    return this.#telling(definitions, write, async () => {
      const kind = session.model.kinds.get(type);
      if (!kind) return undefined;
      const bodies = definitions.map(({ body }) => body);
      const rows = await this.writer.insert(session, kind, bodies, { bulk: true });
      const ids = rows.map(({ body }) => String((JSON.parse(body) as { id: string }).id));
      ids.forEach((id, at) => changeOf(session).inline.set(id, definitions[at]?.at ?? at));
      return ids;
    });
  }

  /** Faults of definitions are told as those of the kind, with their place; undefined after some. */
  async #telling<T>(
    definitions: readonly Inline[],
    { faults }: PendingWrite,
    work: () => Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      // Faults were found before anything was sent; whatever PostgreSQL refused has ended the transaction.
      if (!(error instanceof KindError) || error.messages.some(({ index }) => index === undefined)) throw error;
      for (const { index = 0, text, code } of error.messages) {
        faults.add(code, `parameters[${definitions[index]?.at ?? 0}].${text}`, { parameter: 'parameters' });
      }
      return undefined;
    }
  }

  complete(draft: Draft, write: PendingWrite): Draft {
    const { session, faults, id } = write;
    const kindId = id ?? scalarText(draft.row['id']);
    if (id === undefined) this.#checkNewId(kindId, write);
    for (const key of ['unique', 'indexes']) checkLists(key, draft.values.get(key), write);
    checkParameterNames(draft.values.get('parameters'), write);
    const access = draft.values.get('access');
    if (access !== undefined && access !== null)
      checkAccess(session.model.kinds.get(kindId)?.special ?? PLAIN, access, faults);
    const body = this.#bodies.get(write);
    if (faults.any && body) {
      checkBodyLists(kindId, body, draft.values, session.model.kinds.get(kindId), session.model, faults);
    }
    changeOf(session).kinds.add(kindId);
    if (draft.values.has('access')) changeOf(session).access.add(kindId);
    return draft;
  }

  #checkNewId(id: string, { session, faults }: PendingWrite): void {
    const place = { parameter: 'id' };
    if (RESERVED_KINDS.has(id))
      faults.add('kind.reserved', `id: '${id}' belongs to the system; choose another id`, place);
    else if (isSystemIdentifier(id))
      faults.add('kind.reserved', `id: ids that begin with 'kind_' belong to the system`, place);
    else if (session.model.kinds.has(id)) faults.add('kind.exists', `id: a kind '${id}' exists already`, place);
  }

  async beforeDelete(_: KindDef, id: string, session: Session): Promise<void> {
    const kind = session.model.kinds.get(id);
    if (!kind) return;
    if (kind.builtIn) throw refusal('kind.built_in', `'${id}' is built in and can not be deleted`);
    const others = referencesTo(session.model, id).filter((reference) => reference.kind.id !== id);
    if (others.length > 0) {
      const names = others.map((reference) => `'${reference.kind.id}' by '${reference.field.id}'`).join(', ');
      throw refusal('kind.referenced', `'${id}' is referred to by ${names}`);
    }
    const groupKind = session.model.kinds.get('group');
    for (const group of session.model.groups.values()) {
      if (!groupKind || !group.kinds.includes(id)) continue;
      const rest = group.kinds.filter((member) => member !== id);
      await this.writer.update(asSystem(session), groupKind, group.id, () => new Map([['kind_list', rest]]));
    }
  }
}

/** The body of a built-in kind without what it keeps, where that is given as it is. @throws KindError 403 where it is not */
function withoutKept(body: Body, { id, session }: PendingWrite): Body {
  const kind = id === undefined ? undefined : session.model.kinds.get(id);
  if (!kind?.builtIn) return body;
  const stored = new Map<string, unknown>(Object.entries(kind));
  const kept = [...body].filter(([key]) => !EDITABLE_OF_BUILT_IN.has(key));
  const changed = kept.filter(([key, value]) => !jsonEqual(stored.get(key), value)).map(([key]) => key);
  if (changed.length === 0) return new Map([...body].filter(([key]) => EDITABLE_OF_BUILT_IN.has(key)));
  const text = `'${kind.id}' is built in: its label, metadata and access can be edited, not ${changed.join(', ')}`;
  throw refusal('kind.built_in', text);
}

/** Names that are no parameter are told together with the other faults of the body. */
function checkParameterNames(list: Json | undefined, { session, faults }: PendingWrite): void {
  if (!Array.isArray(list)) return;
  const { parameters } = session.model;
  const made = changeOf(session).parameters;
  for (const id of list as string[]) {
    if (!parameters.has(id) && !made.has(id)) tellUnknownParameter(id, parameters.keys(), faults);
  }
}

/** `unique` and `indexes` are lists of lists of parameter ids. */
function checkLists(key: string, value: Json | undefined, { faults }: PendingWrite): void {
  if (value === undefined) return;
  const bad = (text: string) => faults.add('parameter.bad_type', `${key}${text}`, { parameter: key });
  if (!Array.isArray(value)) return void bad(`: must be a list of lists of parameter ids, got ${typeName(value)}`);
  (value as Json[]).forEach((list, at) => {
    const right = Array.isArray(list) && list.length > 0 && list.every((id: Json) => typeof id === 'string');
    if (!right) bad(`[${at}]: must be a list of parameter ids`);
  });
}
