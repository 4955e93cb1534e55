/**
 * The statements of queries that are requested again and again with the same parameters, such as the list of a start page.
 * A repeated query is not parsed, planned and rendered again. A statement is valid for one model, and for callers with the
 * same rights; if one of its values is the id of a member, for this member. So what an answer depends on besides must be
 * a part of the stored query.
 */
import { LRUCache } from 'lru-cache';
import { rightsKeyOf } from '../../access/masks.js';
import type { Grant } from '../../access/level.js';
import type { QueryParameters } from '../../http/route/parse-list-query.js';
import type { KindDef } from '../../model/model.js';
import { boundRuleOf } from '../../model/predicate/bound-rule.js';
import type { Statement } from '../../sql/fragment.js';
import { identityOf } from '../../sql/statement-template.js';
import type { Session } from '../../catalog/session/session.js';

/** The most queries in memory, and the characters of their keys and statements. */
const STORED = { queries: 2000, characters: 4_000_000 } as const;
/** Longer queries and statements are not stored, in characters. */
const LONGEST = { query: 2000, statement: 20_000 } as const;

/** Identifies a query with everything that its statement depends on, except the member. */
export interface QueryKey {
  readonly query: string;
  /** The member who is the caller; undefined for others. */
  readonly memberId: string | undefined;
}

/** @returns undefined if the units that the caller may read are selected by something else than a rule */
export function queryKey(
  { project, model, caller, deployment }: Pick<Session, 'project' | 'model' | 'caller' | 'deployment'>,
  { kind, grant }: { readonly kind: Pick<KindDef, 'id'>; readonly grant: Grant },
  parameters: QueryParameters,
): QueryKey | undefined {
  const rule = grant.predicate && boundRuleOf(grant.predicate)?.rule;
  if (grant.predicate && !rule) return undefined;
  const text = JSON.stringify(parameters);
  if (text.length > LONGEST.query) return undefined;
  // What may be called is a part of what the caller may do.
  const functions = deployment ? identityOf(deployment) : '';
  const rights = `${rightsKeyOf(caller)} ${rule ? identityOf(rule) : ''} ${functions}`;
  return {
    query: `${project.schema} ${identityOf(model)} ${kind.id} ${rights} ${text}`,
    memberId: caller.type === 'member' ? caller.id : undefined,
  };
}

/** A query that was requested once, or whose statement depends on the member. */
type Entry<Query> = Query | 'once' | 'by member';

export class RepeatedQueries<Query extends { readonly statement: Statement }> {
  readonly #entries = new LRUCache<string, Entry<Query>>({
    max: STORED.queries,
    maxSize: STORED.characters,
    sizeCalculation: (entry, key) => key.length + (typeof entry === 'string' ? 0 : entry.statement.text.length),
  });

  /** The query, if it was requested twice before. */
  find({ query, memberId }: QueryKey): Query | undefined {
    const shared = this.#entries.get(query);
    const entry = shared === 'by member' ? this.#entries.get(ofMember(query, memberId)) : shared;
    return typeof entry === 'object' ? entry : undefined;
  }

  /** Notes a query that was not found, and stores it if that happens again. */
  note({ query, memberId }: QueryKey, planned: Query): void {
    const { text, values, passing } = planned.statement;
    if (passing || text.length > LONGEST.statement) return;
    const dependsOnMember = memberId !== undefined && JSON.stringify(values).includes(memberId);
    if (dependsOnMember) this.#entries.set(query, 'by member');
    const key = dependsOnMember ? ofMember(query, memberId) : query;
    this.#entries.set(key, this.#entries.has(key) ? planned : 'once');
  }
}

function ofMember(query: string, memberId: string | undefined): string {
  return `${query} ${memberId ?? ''}`;
}
