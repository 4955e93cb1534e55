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
import { isParameterTypeId } from '../model/parameter-type/type-by-id.js';
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

  prepare(body: Body, { id }: PendingWrite): Body {
    return withBothRunTimeFields(id === undefined ? withLabel(body) : body);
  }

  complete(draft: Draft, write: PendingWrite): Draft {
    const { kind, session, faults, patterns, id, index } = write;
    const change = changeOf(session);
    const parameterId = id ?? scalarText(draft.row['id']);
    if (!isParameterTypeId(kind.id)) return draft;
    const stored = session.model.parameters.get(parameterId);
    // The body of a kind may repeat the definition of a stored parameter.
    const isRepeated = id === undefined && stored?.type === kind.id && change.inline.has(parameterId);
    if (id === undefined && stored && !isRepeated) addExistsFault(stored, [], write);
    const base =
      id === undefined ? emptyDefinition(parameterId, kind.id) : (stored ?? emptyDefinition(parameterId, kind.id));
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
    for (const kind of kinds) await this.definitions.update(session, KIND_KIND, kind.id, withoutParameter(kind, id));
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

/** `others`: the fields that differ from the stored parameter. */
function addExistsFault({ id, type }: ParameterDef, others: readonly string[], { faults, index }: PendingWrite): void {
  const place = index === undefined ? { parameter: 'id' } : { parameter: 'id', index };
  const otherwise = others.length > 0 ? `, with another ${others.join(', ')}` : '';
  const shared = `a kind shares it by naming its id alone, "${id}"`;
  faults.add(
    'parameter.exists',
    `id: a parameter '${id}' of type ${type} exists already${otherwise}; ${shared}`,
    place,
  );
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
