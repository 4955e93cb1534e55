/**
 * Completes refusals of writes: PostgreSQL reports only the first missing unit or taken value; further statements find
 * the others.
 */
import { Injectable } from '@nestjs/common';
import { readableFields } from '../../../access/masks.js';
import { targetKindTextFor } from '../../../access/reference-access.js';
import type { KindDef } from '../../../model/model.js';
import { unconditional } from '../../../model/predicate/conditional-field.js';
import { Faults, KindError, type Message } from '../../../shared/errors.js';
import type { WriteContext } from './constraint-violations.js';
import { References, addReferenceFaults, type LocatedDraft, type Unreachable } from '../../draft/references.js';
import { originalCallerOf, type Session } from '../../../catalog/session/session.js';
import { withAllUniqueViolations } from './all-taken-values.js';
import { withFaults } from '../../../database/transaction/complete-refusal.js';

@Injectable()
export class ViolationCompleter {
  constructor(private readonly references: References) {}

  /**
   * Runs the statement that writes units, and completes its refusal with all taken values and all missing units. In a
   * transaction missing units are not looked up: after the error it can run no statement, and after its end the units
   * that it created would be missing too.
   */
  runWrite<T>(
    session: Session,
    kind: KindDef,
    drafts: readonly LocatedDraft[],
    work: (context: WriteContext) => Promise<T>,
    edited?: Edited,
  ): Promise<T> {
    const context = writeContextOf(session, kind, drafts[0]?.index !== undefined || drafts.length > 1);
    return work(context).catch(async (error: unknown) => {
      if (!(error instanceof KindError)) throw error;
      if (error.code.endsWith('.not_unique')) {
        const { visibleFields } = context;
        const completed = await withAllUniqueViolations(session, kind, drafts, visibleFields, error, edited?.ids);
        if (session.executor.tx) throw completed;
        throw withFaults(completed, await this.#missing(session, kind, drafts, edited));
      }
      if (error.code !== 'parameter.bad_reference') throw error;
      throw withFaults(error, await this.#missing(session, kind, drafts, edited));
    });
  }

  async #missing(
    session: Session,
    kind: KindDef,
    drafts: readonly LocatedDraft[],
    edited: Edited | undefined,
  ): Promise<readonly Message[]> {
    try {
      const found = await this.references.unreachable(session, kind, drafts, true);
      const faults = new Faults();
      addReferenceFaults(edited?.fresh && found.length > 0 ? await edited.fresh(found) : found, faults);
      return faults.messages;
    } catch (error) {
      // `Faults` throws when it has as many faults as one error may have.
      return error instanceof KindError ? error.messages : [];
    }
  }
}

/**
 * The edited units, one for each draft. `fresh` removes references that they have already; left out in transactions, where
 * missing units are not looked up.
 */
export interface Edited {
  readonly ids: readonly string[];
  readonly fresh?: (found: readonly Unreachable[]) => Promise<readonly Unreachable[]>;
}

/** What refusals of the write may tell the caller. */
export function writeContextOf(session: Session, kind: KindDef, bulk = false): WriteContext {
  const { caller, model } = session;
  const visibleFields = caller.type === 'system' ? kind.fields : unconditional(readableFields(kind, caller, model));
  return {
    model,
    kind,
    visibleFields: visibleFields,
    ofTarget: targetKindTextFor(originalCallerOf(session), model),
    ...(bulk && { bulk }),
  };
}
