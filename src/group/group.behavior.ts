/** Writes of groups: their kinds must exist, and some groups are reserved for the system. */
import { suggestableKinds } from '../access/access.js';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { BUILT_IN_GROUPS, grantedFields, listedParameters } from '../model/built-in/built-in.js';
import { reportTakenNames } from '../model/check/check-model.js';
import { getBuiltInKind, MEMBER_GROUP, PARAMETER_GROUP, type GroupDef, type KindDef } from '../model/model.js';
import { plural } from '../shared/texts.js';
import { refusal } from '../shared/errors.js';
import { jsonEqual, scalarText } from '../shared/json.js';
import { recordChangesStatement, updateParametersStatement } from '../sql/definition/model.sql.js';
import { Behaviors, type RegisteredBehavior, type PendingWrite } from '../unit/draft/behavior.js';
import type { Body, Draft } from '../unit/draft/draft.js';
import { checkNewId, withLabel } from '../unit/definitions.js';
import { originalCallerOf, changeOf, type Session } from '../catalog/session/session.js';
import { GROUP_KIND, KIND_KIND } from '../model/built-in-traits.js';
import { recordingOf } from '../catalog/session/recording.js';

@Injectable()
export class GroupBehavior implements RegisteredBehavior, OnModuleInit {
  readonly definition = true;

  constructor(private readonly behaviors: Behaviors) {}

  onModuleInit(): void {
    this.behaviors.register(this);
  }

  applies(kind: KindDef): boolean {
    return kind.id === GROUP_KIND;
  }

  prepare(body: Body, { id }: PendingWrite): Body {
    return id === undefined ? withLabel(body) : body;
  }

  complete(draft: Draft, write: PendingWrite): Draft {
    const { session, id } = write;
    if (id === undefined) checkNewId(scalarText(draft.row['id']), GROUP_KIND, session.model, write.faults);
    const list = draft.values.get('kind_list');
    if (!Array.isArray(list)) return draft;
    const group = id === undefined ? undefined : session.model.groups.get(id);
    const before = group?.kinds ?? [];
    if (group?.builtIn) checkBuiltIn(group, list as string[]);
    this.#checkKinds(list as string[], before, write);
    for (const kind of changedKinds(list as string[], before)) changeOf(session).regrouped.add(kind);
    return draft;
  }

  /**
   * Updates the parameter lists of added and removed kinds, because some groups grant parameters to their kinds. Changes of
   * members are recorded: what they may see depends on their values.
   */
  async afterWrite(_: KindDef, id: string, { values }: Draft, session: Session): Promise<void> {
    const { model, project, executor } = session;
    const list = values.get('kind_list');
    if (!Array.isArray(list) || grantedFields([id]).length === 0) return;
    const changed = changedKinds(list as string[], model.groups.get(id)?.kinds ?? []);
    const rows = changed.flatMap((kindId) => {
      const kind = model.kinds.get(kindId);
      if (!kind || kind.builtIn) return [];
      const others = kind.groups.filter((group) => group !== id);
      const groups = (list as string[]).includes(kindId) ? [...others, id] : others;
      return [{ id: kindId, parameters: listedParameters(kind, groups, kind.parameters) }];
    });
    if (rows.length > 0) await executor.run(updateParametersStatement(project.schema, rows));
    if (id !== MEMBER_GROUP) return;
    const kind = getBuiltInKind(model, KIND_KIND);
    const plan = { schema: project.schema, kind, recording: recordingOf(session, kind) };
    await executor.run(recordChangesStatement(plan, list as string[], 'feed'));
  }

  #checkKinds(list: readonly string[], before: readonly string[], { session, faults, id: group }: PendingWrite): void {
    const place = { parameter: 'kind_list' };
    list.forEach((id, at) => {
      const kind = session.model.kinds.get(id);
      if (!kind) {
        faults.add(
          'group.bad_definition',
          `kind_list[${at}]: no kind '${id}'${faults.hint(id, suggestableKinds(session.model, originalCallerOf(session)))}`,
          place,
        );
      } else if (kind.builtIn && !before.includes(id)) {
        faults.add('group.bad_definition', `kind_list[${at}]: '${id}' is built in and joins no other group`, place);
      }
      if (group && kind && !before.includes(id)) reportTakenNames(kind.parameters, [group], faults);
      if (list.indexOf(id) < at) faults.add('parameter.duplicate', `kind_list[${at}]: '${id}' is there already`, place);
    });
  }

  beforeDelete(_: KindDef, id: string, session: Session): Promise<void> {
    const group = session.model.groups.get(id);
    if (group?.builtIn) throw refusal('kind.built_in', `The group '${id}' is built in and cannot be deleted`);
    if (group && group.kinds.length > 0 && !changeOf(session).cascade) {
      throw refusal(
        'group.has_kinds',
        `'${id}' has ${plural(group.kinds.length, 'kind')}; ?cascade=true deletes it anyway`,
      );
    }
    return Promise.resolve();
  }
}

/** The kinds that are in one of the lists only. */
function changedKinds(list: readonly string[], before: readonly string[]): string[] {
  return [...list, ...before].filter((kind) => !(list.includes(kind) && before.includes(kind)));
}

function checkBuiltIn({ id, kinds }: GroupDef, list: readonly string[]): void {
  if (id === PARAMETER_GROUP && !jsonEqual(kinds, list)) {
    throw refusal('kind.built_in', `The group '${id}' keeps its kinds`);
  }
  if (id !== MEMBER_GROUP) return;
  const own = BUILT_IN_GROUPS.find((group) => group.id === id)?.kinds ?? [];
  const lost = own.filter((kind) => !list.includes(kind));
  if (lost.length > 0) throw refusal('kind.built_in', `The group '${id}' keeps ${lost.join(', ')}`);
}
