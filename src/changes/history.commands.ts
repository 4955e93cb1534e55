/** The commands that read the history of units. */
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Session } from '../catalog/session/session.js';
import type { Answer } from '../http/answer/answer.js';
import type { QueryParameters } from '../http/route/parse-list-query.js';
import type { KindDef } from '../model/model.js';
import { instantOf } from '../model/parameter-type/calendar.js';
import { reading, type Command } from '../run/command.js';
import { isCallerError, refusal, type KindError } from '../shared/errors.js';
import { scalarText } from '../shared/json.js';
import type { PastPlan } from '../sql/changes/history.sql.js';
import { PastUnits } from '../unit/past-units.js';
import { ReadCommands } from '../unit/read.commands.js';
import { requireKey, unknownUnit } from '../unit/store/unit-ids.js';
import { unitAnswer } from '../unit/unit-answers.js';
import {
  authorizeHistory,
  planExistence,
  planHistory,
  planPast,
  planVersions,
  type HistoryOf,
} from './history.plan.js';
import { parseHistoryQuery, parsePastQuery } from './history.query.js';
import { HistoryReader, unknownVersion, type Past } from './history.reader.js';

@Injectable()
export class HistoryCommands implements OnModuleInit {
  constructor(
    private readonly reader: HistoryReader,
    private readonly past: PastUnits,
    private readonly reads: ReadCommands,
  ) {}

  onModuleInit(): void {
    this.past.use((kindId, unitId, parameters) => this.asOf(kindId, unitId, parameters));
  }

  /** The versions of a unit, or of all units of a kind. */
  list(kindId: string, unitId: string | undefined, parameters: QueryParameters): Command {
    return reading((opened) => {
      const of = authorizeHistory(opened, kindId);
      return {
        run: async (session) => {
          const unit = unitId === undefined ? undefined : keyText(of.kind, unitId);
          const plan = planVersions(session, of, unit);
          return this.#orUnknown(session, of, unit, () =>
            this.reader.page(session, planHistory(plan, parseHistoryQuery(parameters))),
          );
        },
      };
    });
  }

  /** A unit as it was at a time. */
  asOf(kindId: string, unitId: string, parameters: QueryParameters): Command {
    return reading((opened) => {
      const kind = opened.model.kinds.get(kindId);
      // Units of sources are as they are: to them it is no query parameter.
      if (kind && !kind.storage.hasTable) return this.reads.get(kindId, unitId, parameters).authorize(opened);
      const of = authorizeHistory(opened, kindId);
      return {
        run: async (session) => {
          const unit = keyText(of.kind, unitId);
          return this.#orUnknown(session, of, unit, async () => {
            const plan = planPast(session, of, unit, parsePastQuery(parameters));
            await this.reader.number(plan.schema);
            return pastAnswer(plan, await this.reader.past(session, plan));
          });
        },
      };
    });
  }

  /** A missing unit is reported before faults of the query. */
  async #orUnknown(
    session: Session,
    of: HistoryOf,
    unit: string | undefined,
    work: () => Promise<Answer>,
  ): Promise<Answer> {
    try {
      return await work();
    } catch (error) {
      if (isCallerError(error)) await this.reader.page(session, planExistence(planVersions(session, of, unit)));
      throw error;
    }
  }
}

/** The id of a path as it is recorded. @throws KindError 404 */
export function keyText(kind: KindDef, unitId: string): string {
  return scalarText(requireKey(kind, unitId));
}

/** @throws KindError 400 for a time of which nothing is known, 404 where there was no unit, or none that may be seen */
function pastAnswer({ kind, unit, asOf }: PastPlan, { version, operation, current, ...past }: Past): Answer {
  const asked = 'atMost' in asOf ? BigInt(asOf.atMost) : 0n;
  const latest = [past.now, current, past.first].flatMap((each) => (each === null ? [] : [BigInt(each)]));
  if (latest.every((each) => asked > each)) throw notKept(`as_of: is in the future; it is ${instantOf(past.now)}`);
  const begin = past.first ?? current;
  const isShown = version !== null && past.seen;
  if (!isShown && (begin === null || asked < BigInt(begin))) throw notKept(beginText(begin));
  if (past.seen && past.erased) throw unknownVersion();
  if (operation === 'delete') throw unknownUnit(kind, unit);
  if (!past.seen) throw unknownVersion();
  return unitAnswer(kind, { tag: version ?? current ?? '', body: JSON.stringify(past.past) });
}

function beginText(begin: string | null): string {
  return begin === null ? 'as_of: nothing is kept of it' : `as_of: how it was is known since ${instantOf(begin)}`;
}

function notKept(text: string): KindError {
  return refusal('history.not_kept', text, { parameter: 'as_of' });
}
