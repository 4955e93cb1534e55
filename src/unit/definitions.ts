/**
 * What writes of kinds, groups, parameters and link types share: parameters that are defined inside the body of a kind or
 * link type, edits of other definitions, and the ids that clients choose.
 */
import { Injectable } from '@nestjs/common';
import { RESERVED_KINDS } from '../model/built-in/built-in.js';
import { GROUP_KIND, KIND_KIND, LINK_KIND } from '../model/built-in-traits.js';
import {
  getBuiltInKind,
  type KindDef,
  type Model,
  PARAMETER_GROUP,
  RESERVED_GROUPS,
  RESERVED_LINK_TYPES,
} from '../model/model.js';
import {
  identifierFromLabel,
  isIdentifier,
  isSystemIdentifier,
  namedByRecord,
  parameterRecordId,
} from '../shared/identifiers.js';
import type { ParameterDef } from '../model/parameter-type/parameter-def.js';
import { isParameterTypeId, PARAMETER_TYPES } from '../model/parameter-type/type-by-id.js';
import { getOrInsert } from '../shared/maps.js';
import { type ErrorCode, Faults, KindError, refusal } from '../shared/errors.js';
import { isPlainObject } from '../shared/json.js';
import { LIMITS } from '../shared/limits.js';
import type { PendingWrite } from './draft/behavior.js';
import { type Body, bodyOf } from './draft/draft.js';
import { Drafter } from './draft/drafter.js';
import { asSystem, changeOf, type Session } from '../catalog/session/session.js';
import { UnitStores } from './unit-stores.js';

/** A definition and its position in the list. */
interface InlineDefinition {
  readonly at: number;
  readonly body: Body;
}

/** Creates new parameters of a body; a definition of a stored parameter must be equal to it. */
@Injectable()
export class InlineParameters {
  constructor(
    private readonly stores: UnitStores,
    private readonly drafter: Drafter,
  ) {}

  /**
   * Returns the list as ids of parameters. Creates new definitions, with one statement per type; a definition that
   * equals the stored parameter of its id only refers to it. Those that are `own` belong to the kind.
   * @param owner the kind or link type: see `parameterOwner`
   */
  async create(entries: readonly unknown[], owner: string | undefined, write: PendingWrite): Promise<unknown[]> {
    if (!entries.some(isPlainObject)) return [...entries];
    const { session, faults } = write;
    const ofLink = write.kind.id === LINK_KIND;
    const allowed = ofLink ? LIMITS.parametersPerLinkType : LIMITS.parametersPerKind;
    if (entries.length > allowed) {
      const text = `parameters: at most ${allowed}, got ${entries.length}`;
      throw refusal(ofLink ? 'link.bad_definition' : 'kind.bad_definition', text, { parameter: 'parameters' });
    }
    const ids: unknown[] = [...entries];
    const kindId = ofLink ? undefined : owner;
    const inner: Session = { ...session, definingKind: kindId };
    const byType = new Map<string, InlineDefinition[]>();
    const seen = new Set<unknown>();
    for (const [at, entry] of entries.entries()) {
      if (!isPlainObject(entry)) continue;
      const body = withLabel(bodyOf(entry));
      const [type, id] = [body.get('kind_id'), idOfBody(body)];
      const ownKind = body.get('own') === true ? kindId : undefined;
      const stored = id === undefined ? undefined : session.model.parameters.get(parameterRecordId({ id, ownKind }));
      const clash = clashOfOwn(kindId === undefined ? undefined : session.model.kinds.get(kindId), id, ownKind);
      if (typeof type !== 'string' || !isParameterTypeId(type)) {
        const hint =
          typeof type === 'string' ? faults.hint(type, session.model.groups.get(PARAMETER_GROUP)?.kinds ?? []) : '';
        const wants = `must be a parameter type${hint}: ${[...PARAMETER_TYPES.keys()].join(', ')}`;
        faults.add('parameter.bad_value', `parameters[${at}].kind_id: ${wants}`, { parameter: 'parameters' });
        ids[at] = undefined;
      } else if (id !== undefined && seen.has(id)) {
        faults.add('parameter.duplicate', `parameters[${at}].id: is defined twice in this body`, {
          parameter: 'parameters',
        });
        ids[at] = undefined;
      } else if (clash !== undefined) {
        faults.add('kind.bad_definition', `parameters[${at}].own: ${clash}`, { parameter: 'parameters' });
        ids[at] = undefined;
      } else if (stored?.type === type) {
        seen.add(id);
        ids[at] = await this.#storedId(type, { at, body }, stored, { ...write, session: inner });
        if (stored.definedIn && owner !== undefined) changeOf(session).definedIn.set(stored.id, owner);
      } else {
        seen.add(id);
        getOrInsert(byType, type, () => []).push({ at, body });
      }
    }
    for (const [type, definitions] of byType) {
      const created = await this.#createOfType(type, definitions, { ...write, session: inner });
      definitions.forEach(({ at }, n) => (ids[at] = created?.[n]?.id));
      for (const { id, ownKind } of created ?? []) {
        if (owner !== undefined && ownKind === undefined) changeOf(session).definedIn.set(id, owner);
      }
    }
    return ids.filter((id) => id !== undefined);
  }

  /**
   * The id of the stored parameter if the definition is equal to it; otherwise the behavior of parameters reports the
   * differences.
   */
  async #storedId(
    type: string,
    { at, body }: InlineDefinition,
    stored: ParameterDef,
    write: PendingWrite,
  ): Promise<string | undefined> {
    const { session } = write;
    changeOf(session).inline.set(parameterRecordId(stored), at);
    const kind = session.model.kinds.get(type);
    return (
      kind &&
      this.#collectFaults([{ at, body }], write, async () => {
        const faults = new Faults();
        const { defaults } = write;
        await this.drafter.creates(session, kind, [body], { writer: session.caller, bulk: true, faults, defaults });
        faults.throwIfAny();
        return stored.id;
      })
    );
  }

  #createOfType(
    type: string,
    definitions: readonly InlineDefinition[],
    write: PendingWrite,
  ): Promise<readonly ReturnType<typeof namedByRecord>[] | undefined> {
    const { session } = write;
    return this.#collectFaults(definitions, write, async () => {
      const kind = session.model.kinds.get(type);
      if (!kind) return undefined;
      const bodies = definitions.map(({ body }) => body);
      const rows = await this.stores.of(kind).creates.create(session, kind, bodies, { bulk: true });
      const ids = rows.map(({ body }) => String((JSON.parse(body) as { id: string }).id));
      ids.forEach((id, at) => changeOf(session).inline.set(id, definitions[at]?.at ?? at));
      return ids.map(namedByRecord);
    });
  }

  /** Reports faults of definitions as faults of the kind, with their position; undefined if there were any. */
  async #collectFaults<T>(
    definitions: readonly InlineDefinition[],
    { faults }: PendingWrite,
    work: () => Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      // Only faults with an index were found before a statement was sent. Errors of PostgreSQL have ended the
      // transaction.
      if (!(error instanceof KindError) || error.messages.some(({ index }) => index === undefined)) throw error;
      for (const { index = 0, text, code } of error.messages) {
        faults.add(code, `parameters[${definitions[index]?.at ?? 0}].${text}`, { parameter: 'parameters' });
      }
      return undefined;
    }
  }
}

/** Why a kind cannot define a parameter of this name: it has a shared one, and would have an own one, or the reverse. */
function clashOfOwn(
  kind: KindDef | undefined,
  id: string | undefined,
  ownKind: string | undefined,
): string | undefined {
  const has = id !== undefined && kind?.parameters.includes(id) ? kind.fields.get(id)?.def : undefined;
  if (!has || has.ownKind === ownKind) return undefined;
  return ownKind === undefined
    ? `'${id ?? ''}' is a parameter of '${kind?.id ?? ''}' alone; define it with "own": true, or name it by its id`
    : `'${ownKind}' has the shared parameter '${id ?? ''}'; PUT {"own": true} on that one gives each of its kinds a copy`;
}

/** Edits records of kinds and groups for other definitions, such as the `kind_list` of a group for a deleted kind. */
@Injectable()
export class DefinitionWriter {
  constructor(private readonly stores: UnitStores) {}

  /** Edits a definition with the rights of the system. `kindId` is that of its record, such as `kind`. */
  async update(session: Session, kindId: string, id: string, values: Record<string, unknown>): Promise<void> {
    const kind = getBuiltInKind(session.model, kindId);
    await this.stores.of(kind).updates.update(asSystem(session), kind, id, () => bodyOf(values));
  }
}

/** The values of a kind without a parameter, which is also in none of its unique constraints and indexes. */
export function withoutParameter({ parameters, unique, indexes }: KindDef, id: string): Record<string, unknown> {
  const without = (lists: KindDef['unique']) => lists.filter((ids) => !ids.includes(id));
  return { parameters: parameters.filter((each) => each !== id), unique: without(unique), indexes: without(indexes) };
}

/** Uses the id as label where the body has none. Faults of the id are not reported for the label too. */
export function withLabel(body: Body): Body {
  if (body.has('label')) return body;
  const id = body.get('id');
  return new Map([...body, ['label', isIdentifier(id) ? id : '']]);
}

/** The id of the unit that the body would create; undefined where it has none. */
export function idOfBody(body: Body): string | undefined {
  const [id, label] = [body.get('id'), body.get('label')];
  if (id !== undefined) return typeof id === 'string' ? id : undefined;
  return typeof label === 'string' ? identifierFromLabel(label) : undefined;
}

/** What the ids of definitions are of that clients choose, and which of them are taken. */
interface DefinitionIds {
  /** For a message: `a kind`. */
  readonly definition: string;
  readonly isReserved: (id: string) => boolean;
  readonly existing: (model: Model) => ReadonlyMap<string, { readonly builtIn: boolean }>;
  readonly codes: { readonly reserved: ErrorCode; readonly exists: ErrorCode };
}

/** By the kind of their records; ids of parameters are taken in kinds and link types too. */
export const DEFINITION_IDS: ReadonlyMap<string, DefinitionIds> = new Map([
  [
    KIND_KIND,
    {
      definition: 'a kind',
      isReserved: (id) => RESERVED_KINDS.has(id),
      existing: ({ kinds }) => kinds,
      codes: { reserved: 'kind.reserved', exists: 'kind.exists' },
    },
  ],
  [
    GROUP_KIND,
    {
      definition: 'a group',
      isReserved: (id) => RESERVED_GROUPS.has(id),
      existing: ({ groups }) => groups,
      codes: { reserved: 'group.reserved', exists: 'group.exists' },
    },
  ],
  [
    LINK_KIND,
    {
      definition: 'a link type',
      isReserved: (id) => RESERVED_LINK_TYPES.has(id),
      existing: ({ linkTypes }) => linkTypes,
      codes: { reserved: 'link.reserved', exists: 'link.exists' },
    },
  ],
]);

/**
 * Adds a fault if a definition may not get an id.
 * @param kindId of its record
 * @param parameter the key of the body that has it
 */
export function checkNewId(
  id: string,
  kindId: string,
  model: Model,
  faults: Pick<Faults, 'add'>,
  parameter = 'id',
): void {
  const of = DEFINITION_IDS.get(kindId);
  if (!of) return;
  const add = (code: ErrorCode, text: string) => faults.add(code, `${parameter}: ${text}`, { parameter });
  if (of.isReserved(id)) add(of.codes.reserved, `'${id}' belongs to the system; choose another id`);
  else if (isSystemIdentifier(id)) add(of.codes.reserved, `ids that begin with 'kind_' belong to the system`);
  else if (of.existing(model).has(id)) add(of.codes.exists, `${of.definition} '${id}' exists already`);
}
