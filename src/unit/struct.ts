/** Structs: what the parameters of a kind are, for forms and clients. */
import { Injectable } from '@nestjs/common';
import { openKind } from '../access/access.js';
import { mayDescribe, STRUCT_RIGHTS } from '../access/reach.js';
import { Catalog } from '../catalog/catalog.service.js';
import { Database } from '../database/database.js';
import { answerOf, type Answer } from '../http/answer.js';
import { pairsOf } from '../http/list-query.js';
import { STRUCT_QUERY } from '../http/query-names.js';
import type { GroupDef, KindDef, Model } from '../model/model.js';
import { Faults } from '../shared/errors.js';
import { descriptorsStatement } from '../sql/descriptor.sql.js';
import type { RequestScope } from '../tenancy/request-scope.js';
import { describe, planDescriptors, type Descriptor } from './descriptors.js';
import { Remotes } from './remotes.js';
import { executorFor } from './executors.js';
import { collect, planQuery } from './unit.plan.js';
import { UnitReader } from './unit.reader.js';
import { unknownUnit } from './unit.key.js';

/** A page of descriptors, and how many there are in all. */
interface Described {
  readonly count: number;
  readonly items: readonly Descriptor[];
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
    return this.catalog.withCheckedModel(scope.project, async (model) => {
      const { kind } = openKind(model, kindId, STRUCT_RIGHTS, scope.caller);
      const described = await this.#describe(scope, model, [kind], url);
      return answerOf(labelled ? { label: kind.label, parameters: described.items } : described);
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
        const { items } = await this.#describe(scope, model, [kind], url);
        return answerOf({ label, parameters: items });
      });
    });
  }

  /** `{label, parameters}` of a group that the caller may read: the parameters of its kinds, each at its first appearance. */
  async ofGroup(scope: RequestScope, model: Model, group: GroupDef, url: string): Promise<Answer> {
    const kinds = group.kinds.flatMap((id) => model.kinds.get(id) ?? []);
    const described = kinds.filter((kind) => mayDescribe(kind, scope.caller, model));
    const { items } = await this.#describe(scope, model, described, url);
    return answerOf({ label: group.label, parameters: items });
  }

  /** What the query leaves of the descriptors. Without a limit it is all: a form has no pages. @throws KindError 400 */
  async #describe(
    { caller, project }: RequestScope,
    model: Model,
    kinds: readonly KindDef[],
    url: string,
  ): Promise<Described> {
    const { query, all, plan } = planQuery(url, STRUCT_QUERY, (asked) => {
      const faults = new Faults();
      const planned = collect(faults, () => planDescriptors(asked, model), undefined);
      const found = collect(faults, () => describe(kinds, { caller, model }, asked), []);
      faults.throwIfAny();
      return { query: asked, all: found, plan: planned };
    });
    let matching = all;
    if (plan && all.length > 0) {
      const rows = all.map((descriptor) =>
        Object.fromEntries(plan.used.map(({ id }) => [id, descriptor[id as keyof Descriptor]])),
      );
      const found = await executorFor(this.database, caller).run<{ n: number }>(
        descriptorsStatement({ schema: project.schema, rows, ...plan }),
      );
      matching = found.flatMap(({ n }) => all[n] ?? []);
    }
    const end = isLimited(url) ? query.offset + query.limit : undefined;
    return { count: matching.length, items: matching.slice(query.offset, end) };
  }
}

function isLimited(url: string): boolean {
  return [...pairsOf(url)].some(([name]) => name === 'limit');
}
