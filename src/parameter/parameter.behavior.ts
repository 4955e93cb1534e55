/** Writes of parameters: validates definitions, and removes deleted parameters from kinds with `?cascade=true`. */
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { checkFieldRuleSyntax } from '../access/check-access.js';
import { mayReadDefinition } from '../access/masks.js';
import { suggestableIds } from '../access/suggestable-ids.js';
import {
  canonicalValues,
  checkDefinitionBytes,
  checkParameter,
  differences,
  emptyDefinition,
  patched,
} from '../model/check/check-parameter.js';
import { checkReference } from '../model/check/check-model.js';
import type { ParameterDef } from '../model/parameter-type/parameter-def.js';
import { kindsUsing, linkTypesUsing, PARAMETER_GROUP, type KindDef } from '../model/model.js';
import { namedByRecord, parameterRecordId } from '../shared/identifiers.js';
import { isParameterTypeId, PARAMETER_TYPES } from '../model/parameter-type/type-by-id.js';
import { definitionOf, type ParameterRecord } from '../model/build/definition-records.js';
import { plural } from '../shared/texts.js';
import { refusal } from '../shared/errors.js';
import { scalarText } from '../shared/json.js';
import { Behaviors, type RegisteredBehavior, type PendingWrite } from '../unit/draft/behavior.js';
import { withSystemValue, type Body, type Draft } from '../unit/draft/draft.js';
import { DefinitionWriter, withLabel, withoutParameter } from '../unit/definitions.js';
import { originalCallerOf, changeOf, type Session } from '../catalog/session/session.js';
import { KIND_KIND, LINK_KIND } from '../model/built-in-traits.js';

@Injectable()
export class ParameterBehavior implements RegisteredBehavior, OnModuleInit {
  readonly definition = true;
  readonly answersEdited = true;

  constructor(
    private readonly behaviors: Behaviors,
    private readonly definitions: DefinitionWriter,
  ) {}

  onModuleInit(): void {
    this.behaviors.register(this);
  }

  applies(kind: KindDef): boolean {
    return kind.groups.includes(PARAMETER_GROUP);
  }

  prepare(body: Body, write: PendingWrite): Body {
    const own = withoutSettingsOfOthers(body, write);
    return withBothRunTimeFields(write.id === undefined ? withLabel(own) : own);
  }

  complete(given: Draft, write: PendingWrite): Draft {
    const { kind, session, faults, patterns, id, index } = write;
    const change = changeOf(session);
    if (!isParameterTypeId(kind.id)) return given;
    const draft = id === undefined ? withOwnKind(given, write) : given;
    const parameterId = id ?? scalarText(draft.row['id']);
    const stored = session.model.parameters.get(parameterId);
    if (stored && id !== undefined) this.#checkOwn(draft, stored, write);
    // The body of a kind may repeat the definition of a stored parameter.
    const isRepeated = id === undefined && stored?.type === kind.id && change.inline.has(parameterId);
    if (id === undefined && stored && !isRepeated) addExistsFault(stored, [], write);
    const empty = { ...emptyDefinition(parameterId, kind.id), ...namedByRecord(parameterId) };
    const base = id === undefined ? empty : (stored ?? empty);
    const def = patched(base, draft.values);
    const isShort = checkDefinitionBytes(draft.values, base, faults, index);
    checkParameter(isShort ? def : { ...def, default: null }, faults, patterns, index);
    checkFieldRuleSyntax(def, faults, index);
    const [persistence, runTime] = [draft.values.get('persistence'), draft.values.get('only_run_time')];
    if (persistence !== undefined && runTime !== undefined && (persistence === 'run_time') !== runTime) {
      const place = index === undefined ? {} : { index };
      faults.add('parameter.bad_definition', 'only_run_time: contradicts persistence', {
        parameter: 'only_run_time',
        ...place,
      });
    }
    // Without other faults it is checked after everything has been written.
    if (faults.any && index === undefined) {
      checkReference(def, session.model, suggestableIds(session.model, originalCallerOf(session)), faults);
    }
    change.parameters.add(parameterId);
    // Only a valid value has a canonical form.
    const canonical = faults.any ? draft : this.#canonical(draft, kind, def);
    if (!isRepeated) return canonical;
    // A comparison would reveal the values of the stored parameter, so callers who may not read these are always
    // refused.
    const mayCompare = !faults.any && mayReadDefinition(stored, originalCallerOf(session));
    const others = mayCompare ? differences(stored, definitionOfDraft(canonical, kind)) : [];
    if (!mayCompare || others.length > 0) addExistsFault(stored, others, write);
    return canonical;
  }

  /** A shared parameter becomes an own one of each kind that uses it. */
  #checkOwn(draft: Draft, stored: ParameterDef, { session, faults }: PendingWrite): void {
    const own = draft.values.get('own');
    if (own === undefined || own === stored.own) return;
    const users = kindsUsing(session.model, stored.id);
    const [linkType] = linkTypesUsing(session.model, stored.id);
    const bad = (text: string) => faults.add('parameter.bad_definition', `own: ${text}`, { parameter: 'own' });
    if (stored.own) bad('a parameter of one kind alone stays so');
    else if (linkType) bad(`the link type '${linkType.id}' uses it, and parameters of links are shared`);
    else if (users.length === 0) bad('no kind uses it, so that it would be of none');
    else
      changeOf(session).copied.set(
        stored.id,
        users.map((kind) => kind.id),
      );
  }

  #canonical(draft: Draft, kind: KindDef, def: ReturnType<typeof patched>): Draft {
    let canonical = draft;
    for (const [key, value] of canonicalValues(def)) {
      const field = kind.fields.get(key);
      if (field && draft.values.has(key)) canonical = withSystemValue(canonical, field, value);
    }
    return canonical;
  }

  async beforeDelete(_: KindDef, id: string, session: Session): Promise<void> {
    const [kinds, linkTypes] = [kindsUsing(session.model, id), linkTypesUsing(session.model, id)];
    if (kinds.length + linkTypes.length === 0) return;
    if (!changeOf(session).cascade) {
      const users = [usersText(kinds, 'kind'), usersText(linkTypes, 'link type')].filter((text) => text !== '');
      throw refusal(
        'parameter.in_use',
        `'${id}' is used by ${users.join(', and by ')}; ?cascade=true takes it from them too`,
      );
    }
    for (const kind of kinds)
      await this.definitions.update(session, KIND_KIND, kind.id, withoutParameter(kind, namedByRecord(id).id));
    for (const type of linkTypes) {
      const parameters = type.parameters.filter((each) => each !== id);
      await this.definitions.update(session, LINK_KIND, type.id, { parameters });
    }
  }
}

/** The number of definitions and the names of the first ones; empty if there are none. */
function usersText(users: readonly { readonly id: string }[], noun: string): string {
  if (users.length === 0) return '';
  const names = users.slice(0, 10).map(({ id }) => `'${id}'`);
  return `${plural(users.length, noun)}: ${names.join(', ')}`;
}

/** The definition in a new row, whose columns are those of a record. */
function definitionOfDraft({ row }: Draft, { id }: KindDef): ParameterDef {
  return definitionOf({ ...row, kind_id: id } as unknown as ParameterRecord);
}

/** Gives a parameter that a kind defines for itself the id of its record. */
function withOwnKind(draft: Draft, { kind, session, faults, index }: PendingWrite): Draft {
  if (draft.values.get('own') !== true || draft.row['id'] === undefined) return draft;
  const ownKind = session.definingKind;
  if (ownKind === undefined) {
    const place = index === undefined ? { parameter: 'own' } : { parameter: 'own', index };
    faults.add(
      'parameter.bad_definition',
      'own: a parameter of one kind alone is defined in the body of that kind',
      place,
    );
    return draft;
  }
  return withSystemValue(draft, kind.keyField, parameterRecordId({ id: scalarText(draft.row['id']), ownKind }));
}

/** `others`: the fields that differ from the stored parameter. */
function addExistsFault(stored: ParameterDef, others: readonly string[], { faults, index }: PendingWrite): void {
  const place = index === undefined ? { parameter: 'id' } : { parameter: 'id', index };
  const otherwise = others.length > 0 ? `, with another ${others.join(', ')}` : '';
  const recordId = parameterRecordId(stored);
  const hint = stored.own
    ? `the kind keeps it by naming its id alone, "${stored.id}", and PUT /${stored.type}/unit/${recordId} edits it`
    : `a kind shares it by naming its id alone, "${stored.id}", or has one of its own with "own": true`;
  const text = `id: a parameter '${recordId}' of type ${stored.type} exists already${otherwise}; ${hint}`;
  faults.add('parameter.exists', text, place);
}

/** Settings that only parameters of other types have are faults that say which. */
function withoutSettingsOfOthers(body: Body, { kind, faults, index }: PendingWrite): Body {
  const others = [...body.keys()].filter((name) => !kind.fields.has(name) && typesWith(name).length > 0);
  if (others.length === 0) return body;
  for (const parameter of others) {
    const text = `${parameter}: '${kind.id}' has no such parameter, only ${typesWith(parameter).join(', ')}`;
    faults.add('parameter.unknown', text, { parameter, ...(index !== undefined && { index }) });
  }
  return new Map([...body].filter(([name]) => !others.includes(name)));
}

function typesWith(name: string): string[] {
  const types = [...PARAMETER_TYPES.values()];
  return types.filter(({ fields }) => fields.some((each) => each === name && each !== 'default')).map(({ id }) => id);
}

/** `persistence: run_time` and `only_run_time: true` mean the same: if a body has only one of them, the other is added. */
function withBothRunTimeFields(body: Body): Body {
  const [persistence, runTime] = [body.get('persistence'), body.get('only_run_time')];
  if (typeof runTime === 'boolean' && persistence === undefined) {
    return new Map([...body, ['persistence', runTime ? 'run_time' : 'kind_parameter']]);
  }
  if ((persistence === 'run_time' || persistence === 'kind_parameter') && runTime === undefined) {
    return new Map([...body, ['only_run_time', persistence === 'run_time']]);
  }
  return body;
}
