/** The records of a model in which definitions have their new ids, in every place that names them. Pure. */
import { isPlainObject, type Json } from '../../shared/json.js';
import type { WorkInPieces } from '../../shared/work-in-pieces.js';
import { rulesIn } from '../check/stored-rules.js';
import { kindsUsing, parameterOwner, type KindDef, type Model } from '../model.js';
import type {
  GroupRecord,
  KindRecord,
  LinkTypeRecord,
  ModelRecords,
  ParameterRecord,
} from '../build/definition-records.js';
import { madeText } from '../made-default.js';
import { fieldAccessOf, isRules } from '../parameter-setting/access.setting.js';
import { mapConditions } from '../parameter-setting/transitions.setting.js';
import { RenamedFilters } from './renamed-filter.js';
import { newId, newParameterName, newRecordId, type Renames } from './renames.js';

export type DefinitionRecords = Pick<ModelRecords, 'kinds' | 'parameters' | 'groups' | 'links'>;

/**
 * @param records those of the model
 * @throws KindError 400 where a rule names something of which only a part is renamed
 */
export function* renamedRecords(
  records: DefinitionRecords,
  model: Model,
  renames: Renames,
): WorkInPieces<DefinitionRecords> {
  const names = new RecordNames(model, renames);
  const [kinds, parameters, groups, links] = [[], [], [], []] as [
    KindRecord[],
    ParameterRecord[],
    GroupRecord[],
    LinkTypeRecord[],
  ];
  for (const record of records.kinds) {
    kinds.push(names.kind(record));
    yield;
  }
  for (const record of records.parameters) {
    parameters.push(names.parameter(record));
    yield;
  }
  for (const record of records.groups) groups.push(names.group(record));
  for (const record of records.links) {
    links.push(names.linkType(record));
    yield;
  }
  return { kinds, parameters, groups, links };
}

class RecordNames {
  readonly #filters: RenamedFilters;

  constructor(
    private readonly model: Model,
    private readonly renames: Renames,
  ) {
    this.#filters = new RenamedFilters(model, renames);
  }

  kind(record: KindRecord): KindRecord {
    const kind = this.model.kinds.get(record.id);
    if (!kind) return record;
    const named = (id: string) => newParameterName(this.model, this.renames, kind, id);
    const lists = (given: readonly (readonly string[])[]) => given.map((list) => list.map(named));
    return {
      ...record,
      id: newId(this.renames.kinds, record.id),
      parameters: kind.builtIn ? record.parameters : record.parameters.map(named),
      unique: lists(record.unique),
      indexes: lists(record.indexes),
      checks:
        record.checks?.map((check) => ({ ...check, filter: this.#filters.ofKinds(check.filter, [kind]) })) ?? null,
      access: this.#access(record.access, (rule) => this.#filters.ofKinds(rule, [kind])),
    };
  }

  parameter(record: ParameterRecord): ParameterRecord {
    const { kinds } = this.renames;
    const users = kindsUsing(this.model, record.id);
    const { reference_kind: target, defined_in: owners } = record;
    return {
      ...record,
      id: newRecordId(this.renames, record.id),
      ...(target !== null && target !== undefined && { reference_kind: newId(kinds, target) }),
      read_access: this.#fieldAccess(record.read_access, users),
      write_access: this.#fieldAccess(record.write_access, users),
      ...(record.transitions && {
        transitions: mapConditions(record.transitions, (rules) =>
          rules.map((rule) => this.#filters.ofKinds(rule, users)),
        ),
      }),
      default_value: this.#default(record),
      ...(owners && { defined_in: owners.map((owner) => this.#owner(owner)) }),
    };
  }

  group(record: GroupRecord): GroupRecord {
    const { groups, kinds } = this.renames;
    return { ...record, id: newId(groups, record.id), kind_list: record.kind_list.map((id) => newId(kinds, id)) };
  }

  linkType(record: LinkTypeRecord): LinkTypeRecord {
    const { access, parameters } = record;
    return {
      ...record,
      id: newId(this.renames.linkTypes, record.id),
      parameters: parameters.map((id) => newRecordId(this.renames, id)),
      ...(access !== undefined && { access: this.#access(access, (rule) => this.#filters.ofLinks(rule)) }),
    };
  }

  #access(access: Json, renamed: (rule: string) => string): Json {
    if (!isPlainObject(access)) return access;
    return Object.fromEntries(
      Object.entries(access).map(([operation, setting]): [string, Json] => {
        const rules = new Set(rulesIn(setting));
        const one = (each: Json): Json => (typeof each === 'string' && rules.has(each) ? renamed(each) : each);
        return [operation, Array.isArray(setting) ? (setting as Json[]).map(one) : one(setting)];
      }),
    );
  }

  #fieldAccess(stored: string | null, users: readonly KindDef[]): string | null {
    const access = fieldAccessOf(stored);
    if (stored === null || !isRules(access)) return stored;
    const rules = access.map((rule) => this.#filters.ofKinds(rule, users));
    return stored.startsWith('[') ? JSON.stringify(rules) : rules.join('');
  }

  /** `@member.<name>` names a parameter of members. */
  #default(record: ParameterRecord): Json {
    const made = this.model.parameters.get(record.id)?.made;
    if (made?.from !== 'member') return record.default_value;
    return madeText({ from: 'member', name: this.#filters.memberName(made.name) });
  }

  #owner(owner: string): string {
    const { kinds, linkTypes } = this.renames;
    const [first = '', link] = owner.split('/');
    return link === undefined ? newId(kinds, first) : parameterOwner('link', newId(linkTypes, link));
  }
}
