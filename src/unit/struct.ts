/** Structs describe the parameters of a kind, for forms and clients. */
import { Injectable } from '@nestjs/common';
import { authorizeKind } from '../access/access.js';
import { mayDescribe, STRUCT_RIGHTS } from '../access/reference-access.js';
import { Answer, pageAnswer } from '../http/answer/answer.js';
import { parseListQuery, type QueryParameters } from '../http/route/parse-list-query.js';
import { STRUCT_QUERY } from '../http/route/query-names.js';
import type { GroupDef, KindDef } from '../model/model.js';
import { EventLoopYield } from '../shared/event-loop-yield.js';
import { Faults, refusal, type KindError } from '../shared/errors.js';
import { jsonText } from '../shared/large-json.js';
import { LIMITS } from '../shared/limits.js';
import { runYielding, type WorkInPieces } from '../shared/work-in-pieces.js';
import { answerTooLarge } from '../shared/response-size.js';
import { descriptorsStatement } from '../sql/list/descriptor.sql.js';
import { describe, planDescriptors, type Descriptor } from './struct-descriptors.js';
import { UnitStores } from './unit-stores.js';
import { reading, type Command } from '../run/command.js';
import type { Session } from '../catalog/session/session.js';
import { collectFaults } from '../shared/collect-faults.js';
import { planQuery } from './query/list.plan.js';
import { UnitReader } from './unit.reader.js';
import { unknownUnit } from './store/unit-ids.js';

/** A page of descriptors as a JSON list, and their total number. */
interface Described {
  readonly count: number;
  readonly items: string;
}

@Injectable()
export class Structs {
  constructor(
    private readonly reader: UnitReader,
    private readonly stores: UnitStores,
  ) {}

  /** `{count, items}` with a kind's parameters; `{label, parameters}` if `labelled`. */
  ofKind(kindId: string, parameters: QueryParameters, labelled: boolean): Command {
    return reading(({ model, caller }) => {
      const { kind } = authorizeKind(model, kindId, STRUCT_RIGHTS, caller);
      const run = async (session: Session): Promise<Answer> => {
        const described = await this.#describe(session, [kind], parameters);
        return labelled ? labelledAnswer(kind.label, described) : pageAnswer(described);
      };
      return { checked: true, run };
    });
  }

  /** `{label, parameters}` of a unit: its label, or that of its kind if it has none, and the parameters of its kind. */
  ofUnit(kindId: string, unitId: string, parameters: QueryParameters): Command {
    return reading((opened) => {
      const { kind } = authorizeKind(opened.model, kindId, 'read', opened.caller);
      this.stores.of(kind).checkState(kind, opened, 'get');
      const run = async (session: Session): Promise<Answer> => {
        const unit = await this.reader.find(session, kind, unitId);
        if (!unit) throw unknownUnit(kind, unitId);
        const label = typeof unit['label'] === 'string' ? unit['label'] : kind.label;
        return labelledAnswer(label, await this.#describe(session, [kind], parameters));
      };
      return { checked: true, once: !kind.storage.transactional, run };
    });
  }

  /**
   * `{label, parameters}` of a group that the caller may read: the parameters of its kinds; of equal names the first.
   */
  async ofGroup(session: Session, group: GroupDef, parameters: QueryParameters): Promise<Answer> {
    const { model, caller } = session;
    const kinds = group.kinds.flatMap((id) => model.kinds.get(id) ?? []);
    const described = kinds.filter((kind) => mayDescribe(kind, caller, model));
    return labelledAnswer(group.label, await this.#describe(session, described, parameters));
  }

  /**
   * The descriptors that the query selects. Without a limit all are returned, because forms need all. @throws KindError
   * 400
   */
  async #describe(session: Session, kinds: readonly KindDef[], parameters: QueryParameters): Promise<Described> {
    const { caller, project, model } = session;
    const { query, all, plan } = planQuery(parseListQuery(parameters, STRUCT_QUERY), (list) => {
      const faults = new Faults();
      const planned = collectFaults(faults, () => planDescriptors(list, model), undefined);
      const found = collectFaults(faults, () => describe(kinds, { caller, model }, list), []);
      faults.throwIfAny();
      return { query: list, all: found, plan: planned };
    });
    const yielder = new EventLoopYield(project.schema);
    let matching = all;
    if (plan && all.length > 0) {
      const tested = all.map((descriptor, n) => {
        const used = plan.used.map(({ id }): [string, unknown] => [id, descriptor[id as keyof Descriptor]]);
        return { ...Object.fromEntries(used), n };
      });
      const rows = await runYielding(listText(tested, testedTooLarge), yielder);
      const found = await session.executor.run<{ n: number }>(
        descriptorsStatement({ schema: project.schema, rows, ...plan }),
      );
      matching = found.flatMap(({ n }) => all[n] ?? []);
    }
    const end = parameters.some(([name]) => name === 'limit') ? query.offset + query.limit : undefined;
    const items = await runYielding(listText(matching.slice(query.offset, end), pageTooLarge), yielder);
    return { count: matching.length, items };
  }
}

/**
 * The JSON of a list, made in pieces, because allowed values and defaults may be large. @throws KindError from
 * `refused` if it is too long
 */
function* listText(list: readonly object[], refused: () => KindError): WorkInPieces<string> {
  const texts: string[] = [];
  let bytes = 0;
  for (const element of list) {
    const text = yield* jsonText(element);
    bytes += Buffer.byteLength(text) + 1;
    if (bytes > LIMITS.structBytes) throw refused();
    texts.push(text);
    yield;
  }
  return `[${texts.join(',')}]`;
}

function pageTooLarge(): KindError {
  return answerTooLarge(undefined, LIMITS.structBytes);
}

function testedTooLarge(): KindError {
  const most = LIMITS.structBytes.toLocaleString('en');
  const text = `What filter and order look at has more than ${most} bytes; describe fewer parameters with include`;
  return refusal('query.too_large', text);
}

function labelledAnswer(label: string, { items }: Described): Answer {
  return new Answer(`{"label":${JSON.stringify(label)},"parameters":${items}}`);
}
