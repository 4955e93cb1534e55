/**
 * What PostgreSQL refuses of a write, told whole: it tells of a missing unit, or of a value that another one has, at the
 * first of them.
 */
import { Injectable } from '@nestjs/common';
import { readableFields } from '../access/masks.js';
import type { KindDef } from '../model/model.js';
import { Faults, KindError } from '../shared/errors.js';
import type { WriteContext } from './conflict.js';
import { References, tell, type Placed } from './references.js';
import type { Session } from './session.js';
import { withAllTaken } from './uniques.js';

@Injectable()
export class WriteRefusals {
  constructor(private readonly references: References) {}

  /**
   * Runs the statement that writes units. All values that others have are told, and all missing units where the connection
   * can still be asked. @param id of the unit that is edited
   */
  async telling<T>(
    session: Session,
    kind: KindDef,
    drafts: readonly Placed[],
    work: (context: WriteContext) => Promise<T>,
    id?: string,
  ): Promise<T> {
    const context = contextOf(session, kind, drafts[0]?.index !== undefined || drafts.length > 1);
    try {
      return await work(context);
    } catch (error) {
      if (!(error instanceof KindError)) throw error;
      const [only, ...others] = drafts;
      if (error.code.endsWith('.not_unique') && only?.index === undefined && only && others.length === 0) {
        throw await withAllTaken(session, kind, only.draft, id, context.told, error);
      }
      if (error.code !== 'parameter.bad_reference') throw error;
      const faults = new Faults();
      tell(await this.references.unreachable(session, kind, drafts, true).catch(() => []), faults);
      faults.throwIfAny();
      throw error;
    }
  }
}

/** What may be told of a refusal to the caller of a session. */
export function contextOf({ caller, model }: Session, kind: KindDef, bulk = false): WriteContext {
  const told = caller.type === 'system' ? kind.fields : readableFields(kind, caller);
  return { model, kind, told, ...(bulk && { bulk }) };
}
