/** Explains to administrators what a member may do with a unit, and which level or rule decides. */
import { Injectable } from '@nestjs/common';
import { accessDenied, authorizeKind } from '../access/access.js';
import { readableFields, writableFields } from '../access/masks.js';
import { explainAccess, predicatesToTest, operationChecks, type OperationCheck } from '../access/explain.js';
import { Catalog } from '../catalog/catalog.service.js';
import { Database } from '../database/database.js';
import { jsonAnswer, type Answer } from '../http/answer/answer.js';
import { readQuery } from '../http/route/parse-list-query.js';
import { MEMBER_QUERY } from '../http/route/query-names.js';
import { isConditional } from '../model/predicate/conditional-field.js';
import type { Visible } from '../model/predicate/predicate.js';
import { extentOf } from '../model/predicate/predicate-cost.js';
import { isMemberKind, type KindDef } from '../model/model.js';
import { refusal } from '../shared/errors.js';
import { LIMITS } from '../shared/limits.js';
import { ANONYMOUS, isAdministrator, memberCaller, type Caller } from '../tenancy/caller.js';
import type { RequestScope } from '../tenancy/request-scope.js';
import { UnitStores } from './unit-stores.js';
import { requestSession } from './session/caller-executor.js';
import type { Session } from './session/session.js';
import { parseKey, unknownUnit } from './session/unit-ids.js';
import { UnitRepository } from './table/unit.repository.js';

@Injectable()
export class Explanations {
  constructor(
    private readonly catalog: Catalog,
    private readonly database: Database,
    private readonly repository: UnitRepository,
    private readonly stores: UnitStores,
  ) {}

  /**
   * For each operation, whether the member in the query (without one, an anonymous caller) may do it with the unit, and
   * why; and the parameters that the member may read and write.
   * @throws KindError 401, 403 for callers who are not administrators
   */
  ofUnit(scope: RequestScope, kindId: string, unitId: string, url: string): Promise<Answer> {
    return this.catalog.withModelOf(scope, kindId, async (model) => {
      const { kind } = authorizeKind(model, kindId, 'read', scope.caller);
      if (!isAdministrator(scope.caller)) {
        throw accessDenied(scope.caller, 'Only administrators are told what others may do');
      }
      const store = this.stores.of(kind);
      store.checkState(kind, scope, 'get');
      const session = requestSession(this.database, scope, model);
      return store.run(scope, model, () => this.#explain(session, kind, unitId, url));
    });
  }

  async #explain(session: Session, kind: KindDef, unitId: string, url: string): Promise<Answer> {
    const member = await this.#member(session, url, () => this.#checkExists(session, kind, unitId));
    const checks = operationChecks(kind, member, session.model);
    const holds = await this.#evaluate(session, kind, unitId, checks);
    const { model } = session;
    const masks = { read: readableFields(kind, member, model), write: writableFields(kind, member, model) };
    return jsonAnswer({
      id: unitId,
      kind_id: kind.id,
      member: member.type === 'member' ? { id: member.id, kind_id: member.kindId } : null,
      operations: explainAccess(checks, holds),
      parameters: {
        read: await this.#usable(session, kind, unitId, masks.read),
        write: await this.#usable(session, kind, unitId, masks.write),
      },
    });
  }

  /** Tests the rules of all operations in one statement, or in one per operation if together they exceed the limits. */
  async #evaluate(
    session: Session,
    kind: KindDef,
    unitId: string,
    checks: readonly OperationCheck[],
  ): Promise<boolean[]> {
    const { tests, lookups, related } = extentOf(predicatesToTest(checks));
    const isSmall = tests <= LIMITS.ruleTests && lookups <= LIMITS.ruleLookups && related <= LIMITS.relatedUnits;
    const holds: boolean[] = [];
    for (const part of isSmall ? [checks] : checks.map((check) => [check])) {
      const answers = await this.stores.of(kind).evaluate(session, kind, unitId, predicatesToTest(part));
      if (!answers) throw unknownUnit(kind, unitId);
      holds.push(...answers);
    }
    return holds;
  }

  /** The fields of a mask that the member may use in this unit: those with rules if they hold. */
  async #usable(session: Session, kind: KindDef, unitId: string, mask: Visible): Promise<string[]> {
    const conditional = [...mask.values()].filter(isConditional);
    const conditions = conditional.map(({ condition }) => condition);
    const holds =
      conditions.length > 0 ? await this.stores.of(kind).evaluate(session, kind, unitId, conditions) : undefined;
    const refused = new Set(conditional.filter((_, at) => !holds?.[at]).map(({ id }) => id));
    return [...mask.keys()].filter((id) => !refused.has(id));
  }

  /** The member in the query, as a caller. A missing unit is reported before faults of the query. */
  async #member(session: Session, url: string, checkUnit: () => Promise<void>): Promise<Caller> {
    try {
      const [id, ...more] = readQuery(url, MEMBER_QUERY).get('member') ?? [];
      if (more.length > 0) throw badMember('given more than once');
      return id === undefined ? ANONYMOUS : await this.#find(session, id);
    } catch (error) {
      await checkUnit();
      throw error;
    }
  }

  async #find({ project, model, executor }: Session, id: string): Promise<Caller> {
    for (const kind of model.kinds.values()) {
      if (!isMemberKind(kind)) continue;
      const key = parseKey(kind, id);
      const plan = { schema: project.schema, kind, fields: [kind.keyField], access: undefined };
      if (key === undefined || !(await this.repository.fetch(executor, plan, key, model))) continue;
      if (!kind.active)
        throw badMember(`the kind '${kind.id}' of this member is inactive: its members have no good token`);
      return memberCaller(id, kind.id);
    }
    throw badMember(`no member of this project has the id '${id.slice(0, 100)}'`);
  }

  async #checkExists(session: Session, kind: KindDef, unitId: string): Promise<void> {
    if (!(await this.stores.of(kind).evaluate(session, kind, unitId, []))) throw unknownUnit(kind, unitId);
  }
}

function badMember(text: string) {
  return refusal('query.bad_value', `member: ${text}`, { parameter: 'member' });
}
