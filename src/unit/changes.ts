/**
 * Where behaviours change what is about to be written: when it was read and checked, and it is clear that the caller may
 * write it as it is. New units are judged by their rule first; a unit that is edited is held, so that nobody else changes it.
 */
import { Injectable } from '@nestjs/common';
import { denied } from '../access/access.js';
import { Patterns } from '../catalog/patterns.js';
import type { KindDef } from '../model/model.js';
import { PatternChecks } from '../model/pattern-checks.js';
import { Faults } from '../shared/errors.js';
import type { UpdatePlan, WritePlan } from '../sql/write.sql.js';
import { Behaviors, type PendingWrite } from './behavior.js';
import type { Draft } from './draft.js';
import { placed } from './placed.js';
import type { Placed } from './references.js';
import type { Session } from './session.js';
import { unknownUnit } from './unit.key.js';
import { UnitRepository } from './unit.repository.js';
import { UnitRights, type Conditions } from './unit.rights.js';

@Injectable()
export class Changes {
  constructor(
    private readonly behaviors: Behaviors,
    private readonly repository: UnitRepository,
    private readonly rights: UnitRights,
    private readonly patterns: Patterns,
  ) {}

  /** Whether a behaviour of the kind changes what is written. */
  applyTo(session: Session, kind: KindDef): boolean {
    return this.behaviors.of(kind, session).some((behavior) => 'change' in behavior);
  }

  /** New units as behaviours leave them. @throws KindError 401, 403 where the caller may not make them as they are */
  async ofCreate(session: Session, plan: WritePlan, units: readonly Placed[]): Promise<readonly Placed[]> {
    const { kind } = plan;
    if (units.length === 0 || !this.applyTo(session, kind)) return units;
    const rows = units.map(({ draft }) => draft.row);
    if (plan.allowed && !(await this.repository.mayInsert(session.executor, plan, rows, session.model))) {
      throw denied(session.caller, `You may not create such a unit of '${kind.id}'`);
    }
    const faults = new Faults();
    const patterns = new PatternChecks();
    const changed: Placed[] = [];
    for (const { draft, ...place } of units) {
      const { index, way } = place;
      const told = way === undefined ? faults : faults.within(way);
      const write = { kind, session, faults: told, patterns, ...(index !== undefined && { index }) };
      changed.push({ ...place, draft: await placed(place, () => this.change(draft, write)) });
    }
    faults.throwIfAny();
    return changed;
  }

  /** An edit as behaviours leave it. @throws KindError 403, 404, 412 where the unit changed meanwhile */
  async ofEdit(
    session: Session,
    plan: Omit<UpdatePlan, 'written'>,
    id: string,
    draft: Draft,
    conditions: Conditions,
  ): Promise<Draft> {
    const { kind } = plan;
    if (!(await this.repository.lock(session.executor, plan, session.model, false))) {
      throw (await this.rights.whyNot(session, kind, id, conditions, 'update')) ?? unknownUnit(kind, id);
    }
    const faults = new Faults();
    const changed = await this.change(draft, { kind, session, faults, patterns: new PatternChecks(), id });
    faults.throwIfAny();
    return changed;
  }

  /** A draft as behaviours leave it; what is wrong with their changes is added to the faults of the write. */
  async change(given: Draft, write: PendingWrite): Promise<Draft> {
    let draft = given;
    for (const behavior of this.behaviors.of(write.kind, write.session)) {
      draft = (await behavior.change?.(draft, write)) ?? draft;
      await this.patterns.settle(write.session.project.id, write.patterns);
    }
    return draft;
  }
}
