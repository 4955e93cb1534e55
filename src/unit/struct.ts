/** Struct descriptors: what the parameters of a kind are, for forms and clients. */
import { Injectable } from '@nestjs/common';
import { grantOf, openKind } from '../access/access.js';
import { mayReadField, readableFields, writableFields } from '../access/masks.js';
import { Catalog } from '../catalog/catalog.service.js';
import { Database } from '../database/database.js';
import { answerOf, type Answer } from '../http/answer.js';
import type { ListQuery } from '../http/list-query.js';
import { STRUCT_QUERY } from '../http/query-names.js';
import { UNIT_FIELDS, type Field, type GroupDef, type KindDef, type Model } from '../model/model.js';
import { shared } from '../model/path.js';
import type { Json } from '../shared/json.js';
import type { Caller } from '../tenancy/caller.js';
import type { RequestScope } from '../tenancy/request-scope.js';
import { Remotes } from './remotes.js';
import { planFields, planQuery } from './unit.plan.js';
import { executorFor } from './executors.js';
import { UnitReader } from './unit.reader.js';
import { unknownUnit } from './unit.key.js';

export interface Descriptor {
  readonly id: string;
  readonly label: string;
  readonly type: string;
  readonly default: Json;
  readonly helper_text: string | null;
  readonly required: boolean;
  readonly multiple: boolean;
  readonly strip: boolean;
  readonly min_length: number | null;
  readonly max_length: number | null;
  readonly values: Json;
}

/** Whoever may write a field and not read it is told what it takes, but not what it holds where nothing is given. */
function descriptorOf(field: Field, caller: Caller): Descriptor {
  const { id, def } = field;
  return {
    id,
    label: def.label,
    type: def.type,
    default: mayReadField(field, caller) ? def.default : null,
    helper_text: def.helperText,
    required: def.required,
    multiple: def.multiple,
    strip: def.strip ?? false,
    min_length: def.minLength ?? null,
    max_length: def.maxLength ?? null,
    values: def.values ?? null,
  };
}

/** The fields that a struct describes: the kind's parameters, and for kinds of the model all of a body. */
function describedFields(kind: KindDef, caller: Caller): Map<string, Field> {
  const known = new Map([...readableFields(kind, caller), ...writableFields(kind, caller)]);
  const always: readonly string[] = kind.key === 'identifier' ? ['kind_id', 'inserted_at', 'updated_at'] : UNIT_FIELDS;
  return new Map(
    [...kind.fields.values()]
      .filter((field) => known.has(field.id) && !field.recordOnly && !always.includes(field.id))
      .map((field) => [field.id, field]),
  );
}

function describe(kinds: readonly KindDef[], caller: Caller, query: ListQuery): Descriptor[] {
  const fields = new Map<string, Field>();
  for (const kind of kinds) {
    for (const [id, field] of describedFields(kind, caller)) if (!fields.has(id)) fields.set(id, field);
  }
  const [first] = kinds;
  // Every unit has them, so their names are known, also where a struct doesn't describe them.
  const undescribed = new Set<string>(UNIT_FIELDS.filter((id) => !fields.has(id)));
  const asked = (names?: readonly string[]) => names?.filter((name) => !undescribed.has(name));
  const named = { include: asked(query.include), exclude: asked(query.exclude) };
  if (!first) return [];
  const names = { kind: first, visible: fields, ...shared(kinds) };
  return planFields(named, names).map((field) => descriptorOf(field, caller));
}

@Injectable()
export class Structs {
  constructor(
    private readonly catalog: Catalog,
    private readonly database: Database,
    private readonly reader: UnitReader,
    private readonly remotes: Remotes,
  ) {}

  /** `{count, items}` of a kind's parameters; `{label, parameters}` where `labelled`. */
  ofKind(scope: RequestScope, kindId: string, url: string, labelled: boolean): Promise<Answer> {
    return this.catalog.withCheckedModel(scope.project, (model) => {
      const { kind } = openKind(model, kindId, ['read', 'create', 'signup'], scope.caller);
      const items = planQuery(url, STRUCT_QUERY, (query) => describe([kind], scope.caller, query));
      return answerOf(labelled ? { label: kind.label, parameters: items } : { count: items.length, items });
    });
  }

  /** The label of a unit (its kind's, where it has none) and the parameters of its kind. */
  async ofUnit(scope: RequestScope, kindId: string, unitId: string, url: string): Promise<Answer> {
    return this.catalog.withModelOf(scope.project, kindId, async (model) => {
      await this.catalog.check(scope.project, model);
      const { kind } = openKind(model, kindId, 'read', scope.caller);
      this.remotes.checkState(kind, scope, 'get');
      return this.remotes.apart(scope.project, model, kind, async () => {
        const executor = executorFor(this.database, scope.caller);
        const unit = await this.reader.find({ ...scope, model, executor }, kind, unitId);
        if (!unit) throw unknownUnit(kind, unitId);
        const label = typeof unit['label'] === 'string' ? unit['label'] : kind.label;
        const parameters = planQuery(url, STRUCT_QUERY, (query) => describe([kind], scope.caller, query));
        return answerOf({ label, parameters });
      });
    });
  }

  /** `{label, parameters}` of a group that the caller may read: the parameters of its kinds, each at its first appearance. */
  ofGroup({ caller }: RequestScope, model: Model, group: GroupDef, url: string): Answer {
    const kinds = group.kinds.flatMap((id) => model.kinds.get(id) ?? []);
    const described = kinds.filter((kind) => mayDescribe(kind, caller, model));
    const parameters = planQuery(url, STRUCT_QUERY, (query) => describe(described, caller, query));
    return answerOf({ label: group.label, parameters });
  }
}

function mayDescribe(kind: KindDef, caller: Caller, model: Model): boolean {
  return (['read', 'create', 'signup'] as const).some(
    (operation) => grantOf(kind, operation, caller, model) !== undefined,
  );
}
