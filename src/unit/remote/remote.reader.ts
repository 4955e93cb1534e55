/**
 * Reads units of remote kinds: calls the source and validates what it returns. Rights and state were checked before.
 */
import { Injectable } from '@nestjs/common';
import type { AggregateQuery } from '../../filter/queries.js';
import type { Parsed, ParsedQuery } from '../../http/route/parse-list-query.js';
import type { KindDef } from '../../model/model.js';
import { refusal } from '../../shared/errors.js';
import { scalarText } from '../../shared/json.js';
import { type KeyText, parseKey, readKeyValue, unknownUnit } from '../store/unit-ids.js';
import { everyField, type Predicate } from '../../model/predicate/predicate.js';
import type { GroupPage, Readable, ShownUnit, UnitPage, UnitRow, UnitReads } from '../store/unit-store.js';
import { NO_REACH, planRemoteAggregate, planRemoteAnswer, planRemoteList } from './remote.plan.js';
import { readGroups, remotePage, readPage, readUnit, rowOf, type RemoteRecord } from './remote-answer.js';
import { RemoteSourceRunner, type SourceAccess } from './remote-sources.js';
import type { Session } from '../../catalog/session/session.js';
import { planContextOf, planQuery, type PlanContext } from '../query/list.plan.js';

@Injectable()
export class RemoteReader implements UnitReads {
  constructor(private readonly remotes: RemoteSourceRunner) {}

  list(session: Session, { kind }: Readable, parsed: ParsedQuery): Promise<UnitPage> {
    return this.remotes.within(session, kind, 'list', async ({ call, settle }) => {
      const context = remotePlanContext(session, kind);
      const { query, counts, fields } = planQuery(parsed, (list) => {
        return { ...planRemoteList(list, context), counts: list.count !== 'none' };
      });
      const { count, units } = await readPage(kind, await call('list', query), query.limit, settle);
      return remotePage(counts ? count : -1, units, fields);
    });
  }

  aggregate(session: Session, { kind }: Readable, parsed: Parsed<AggregateQuery>): Promise<GroupPage> {
    return this.remotes.within(session, kind, 'aggregate', async ({ call }) => {
      const context = remotePlanContext(session, kind);
      const { query, names, hidden } = planQuery(parsed, (asked) => planRemoteAggregate(asked, context));
      return { ...readGroups(kind, await call('aggregate', query), { names, limit: query.limit }), hidden };
    });
  }

  get(session: Session, { kind }: Readable, id: string, parsed: ParsedQuery): Promise<ShownUnit> {
    return this.remotes.within(session, kind, 'get', async (access) => {
      const record = await requireRecord(access, kind, id);
      const context = remotePlanContext(session, kind);
      const fields = planQuery(parsed, (query) => planRemoteAnswer(query, context));
      return { ...rowOf(record, fields, context.visible.values()), more: false };
    });
  }

  /** A source gets units by id alone. @throws KindError 404 for other parameters */
  async getBy(session: Session, readable: Readable, key: KeyText, parsed: ParsedQuery): Promise<ShownUnit> {
    const { kind } = readable;
    const { value, isId } = readKeyValue(key, kind, session.caller, session.model);
    if (isId) return this.get(session, readable, scalarText(value), parsed);
    throw refusal('kind.not_allowed_here', `Units of the remote kind '${kind.id}' are got by id`);
  }

  find(session: Session, { kind }: Readable, id: string): Promise<UnitRow | undefined> {
    return this.remotes.within(session, kind, 'get', async (access) => {
      const record = await findRecord(access, kind, id);
      const { visible } = remotePlanContext(session, kind);
      return record && rowOf(record, everyField(visible), visible.values());
    });
  }

  /** A source has no locks that end with the transaction. */
  lock(_: Session, { kind }: Readable): Promise<never> {
    return Promise.reject(refusal('kind.not_allowed_here', `Units of the remote kind '${kind.id}' cannot be locked`));
  }

  /** A source cannot test rules: no predicate holds. */
  evaluate(
    session: Session,
    kind: KindDef,
    id: string,
    predicates: readonly Predicate[],
  ): Promise<readonly boolean[] | undefined> {
    return this.remotes.within(session, kind, 'get', async (access) => {
      return (await findRecord(access, kind, id)) && predicates.map(() => false);
    });
  }
}

/** @throws KindError 404 */
export async function requireRecord(access: SourceAccess, kind: KindDef, id: string): Promise<RemoteRecord> {
  const record = await findRecord(access, kind, id);
  if (!record) throw unknownUnit(kind, id);
  return record;
}

async function findRecord(
  { call, settle }: SourceAccess,
  kind: KindDef,
  id: string,
): Promise<RemoteRecord | undefined> {
  if (parseKey(kind, id) === undefined) return undefined;
  const found = (await call('get', id)) ?? undefined;
  return found === undefined ? undefined : readUnit(kind, found, settle, id);
}

function remotePlanContext(session: Session, kind: KindDef): PlanContext {
  return planContextOf(session, { kind, access: undefined }, NO_REACH);
}
