/** Limits the number of units of a project, where its settings say so. */
import { Injectable } from '@nestjs/common';
import type { KindDef } from '../../../model/model.js';
import { refusal } from '../../../shared/errors.js';
import { storedUnitsStatement } from '../../../sql/count.sql.js';
import { knowsWholeProject } from '../../../tenancy/caller.js';
import { originalCallerOf, type Session } from '../../session/session.js';

@Injectable()
export class UnitQuota {
  /**
   * Call it before units are created. Units of user kinds count, also those that this transaction has created; those of
   * transactions at the same time do not.
   * @throws KindError 409 if there would be more than the project may have
   */
  async check(session: Session, { storage }: KindDef, created: number): Promise<void> {
    const most = session.project.settings.units;
    if (!most || !storage.counted) return;
    const [row] = await session.executor.run<{ units: string }>(storedUnitsStatement(session.project.schema));
    const units = Number(row?.units);
    if (units + created <= most) return;
    const text = 'The project has as many units as it may have';
    const numbers = `: at most ${most}, and it has ${units}`;
    throw refusal('project.full', knowsWholeProject(originalCallerOf(session)) ? text + numbers : text);
  }
}
