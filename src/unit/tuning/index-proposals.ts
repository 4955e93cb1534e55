/** Which indexes a project lacks, by what its queries did: worst first. Pure. */
import type { Model } from '../../model/model.js';
import type { StoredQuery } from '../../sql/definition/query-statistics.sql.js';
import { isMissing, type MissingIndex } from './plan-findings.js';

export interface IndexProposal {
  readonly kind: string;
  /** One: set its `indexed`. Several: add them to `indexes` of the kind. */
  readonly parameters: readonly string[];
  readonly inside: boolean;
  /** The queries that lack it, without values, and together how often they ran and how long they took. */
  readonly queries: readonly string[];
  readonly calls: number;
  readonly milliseconds: number;
  /** Of the worst of them: the units that one call reads, and those that it would read with the index. */
  readonly read: number;
  readonly found: number;
}

/** The proposals for queries as they are stored. Indexes that the model has by now are left out. */
export function proposeIndexes(queries: readonly StoredQuery[], model: Model): IndexProposal[] {
  const found = new Map<string, IndexProposal>();
  for (const { id, calls, milliseconds, missing } of queries) {
    for (const index of (missing ?? []) as readonly MissingIndex[]) {
      if (!isLacking(index, model)) continue;
      const key = `${index.kind} ${index.parameters.join()} ${index.inside}`;
      const own = { queries: [id], calls: Number(calls), milliseconds };
      const { kind, parameters, inside, read, found: rows } = index;
      const proposal = { kind, parameters, inside, ...own, read, found: rows };
      const known = found.get(key);
      found.set(key, known ? merged(known, proposal) : proposal);
    }
  }
  return withoutServed([...found.values()]).sort((a, b) => b.milliseconds - a.milliseconds);
}

/** Whether the model has the kind and its parameters, and lacks the index. */
export function isLacking(index: Pick<MissingIndex, 'kind' | 'parameters' | 'inside'>, model: Model): boolean {
  const kind = model.kinds.get(index.kind);
  return kind !== undefined && !kind.builtIn && isMissing(kind, index);
}

/** An index that begins with the parameters of another one serves the queries of that one too. */
function withoutServed(proposals: readonly IndexProposal[]): IndexProposal[] {
  const kept: IndexProposal[] = [];
  for (const proposal of [...proposals].sort((a, b) => b.parameters.length - a.parameters.length)) {
    const at = kept.findIndex((other) => serves(other, proposal));
    const other = kept[at];
    if (other) kept[at] = { ...merged(proposal, other), parameters: other.parameters };
    else kept.push(proposal);
  }
  return kept;
}

function serves(index: IndexProposal, { kind, parameters, inside }: IndexProposal): boolean {
  if (index.kind !== kind || (inside && index.parameters.length > 1)) return false;
  return parameters.every((id, at) => index.parameters[at] === id);
}

function merged(a: IndexProposal, b: IndexProposal): IndexProposal {
  const worst = b.read > a.read ? b : a;
  return {
    ...worst,
    inside: a.inside || b.inside,
    queries: [...new Set([...a.queries, ...b.queries])],
    calls: a.calls + b.calls,
    milliseconds: a.milliseconds + b.milliseconds,
  };
}
