/** Proposes the indexes that the slow queries of a project lack, and makes them by changing definitions. */
import { Injectable } from '@nestjs/common';
import { DefinitionChangeService } from '../../catalog/definition/definition-change.service.js';
import { IndexBuilder } from '../../catalog/indexes/index-builder.js';
import { loadModel } from '../../catalog/model/model-store.js';
import { Database } from '../../database/database.js';
import { KIND_KIND } from '../../model/built-in-traits.js';
import { kindsUsing, recordOfParameter, type Model } from '../../model/model.js';
import { optionalIndexes } from '../../model/table/required-indexes.js';
import {
  listQueriesStatement,
  unusedIndexesStatement,
  type MissingIndex,
  type StoredQuery,
} from '../../sql/definition/query-statistics.sql.js';
import { SYSTEM } from '../../tenancy/caller.js';
import type { Project } from '../../tenancy/project.js';
import { DefinitionWriter } from '../definitions.js';
import { isMissing } from './plan-findings.js';

/** An index that the model lacks, and the calls that lack it. `read` and `found` are of the worst of them. */
export interface IndexProposal extends MissingIndex {
  readonly calls: number;
  readonly milliseconds: number;
  /** When the first of the calls was stored. */
  readonly since: string;
  /** The other kinds that get an index too, because they use the same parameter. */
  readonly also: readonly string[];
}

export interface IndexAdvice {
  /** The one that costs the most time first. */
  readonly proposals: readonly IndexProposal[];
  readonly unused: readonly UnusedIndex[];
  /** Since when PostgreSQL counts the uses of indexes; null if that is from their beginning. */
  readonly unusedSince: string | null;
}

/** An index that was asked for, and that no statement has used. */
type UnusedIndex = Pick<MissingIndex, 'kind' | 'parameters'>;

@Injectable()
export class IndexAdvisor {
  constructor(
    private readonly database: Database,
    private readonly changes: DefinitionChangeService,
    private readonly definitions: DefinitionWriter,
    private readonly builder: IndexBuilder,
  ) {}

  async advise(project: Project): Promise<IndexAdvice> {
    const executor = this.database.ofProject(project);
    const model = await loadModel(this.database, project);
    const stored = await executor.run<StoredQuery>(listQueriesStatement(project.schema));
    const rows = await executor.run<{ name: string; since: string | null }>(unusedIndexesStatement(project.schema));
    const unused = unusedOf(model, new Set(rows.map(({ name }) => name)));
    return { proposals: proposalsOf(stored, model), unused, unusedSince: rows[0]?.since ?? null };
  }

  /**
   * Makes an index as an administrator would: by `indexed` of the parameter, or `indexes` of the kind. That of a large
   * kind is built after the change, without blocking writes.
   * @throws KindError 409 if stored values do not allow it
   */
  async apply(project: Project, proposal: IndexProposal): Promise<void> {
    const options = { cascade: false, tellCounts: true, caller: SYSTEM };
    await this.changes.change(project, options, async (change) => {
      const model = change.before;
      const kind = model.kinds.get(proposal.kind);
      if (!kind || !isLacking(proposal, model)) return;
      const session = { project, caller: SYSTEM, model, executor: change.tx, change };
      const [id = '', ...more] = proposal.parameters;
      const parameter = kind.fields.get(id)?.def;
      if (more.length === 0 && parameter) {
        await this.definitions.update(session, parameter.type, recordOfParameter(kind, id), { indexed: true });
      } else {
        await this.definitions.update(session, KIND_KIND, kind.id, { indexes: [...kind.indexes, proposal.parameters] });
      }
    });
    await this.builder.finish();
  }
}

/**
 * What the model still lacks, worst first. An index that begins with the parameters of another one serves the queries of
 * that one too.
 */
function proposalsOf(stored: readonly StoredQuery[], model: Model): IndexProposal[] {
  const lacking = stored.filter(({ missing }) => isLacking(missing, model));
  const needed = lacking.filter(({ missing }) => !lacking.some((other) => serves(other.missing, missing)));
  return needed.map(({ missing, calls, milliseconds, since }) => {
    const [id = '', ...more] = missing.parameters;
    const kind = more.length > 0 ? undefined : model.kinds.get(missing.kind);
    const using = kind ? kindsUsing(model, recordOfParameter(kind, id)) : [];
    return {
      ...missing,
      calls,
      milliseconds,
      since,
      also: using.map((each) => each.id).filter((other) => other !== missing.kind),
    };
  });
}

/** Whether the model has the kind and its parameters, and lacks the index. */
function isLacking(index: MissingIndex, model: Model): boolean {
  const kind = model.kinds.get(index.kind);
  return kind !== undefined && !kind.builtIn && isMissing(kind, index);
}

function serves(longer: MissingIndex, { kind, parameters, inside }: MissingIndex): boolean {
  if (longer.kind !== kind || inside || longer.parameters.length <= parameters.length) return false;
  return parameters.every((id, at) => longer.parameters[at] === id);
}

function unusedOf(model: Model, names: ReadonlySet<string>): UnusedIndex[] {
  const kinds = [...model.kinds.values()].filter((kind) => !kind.builtIn && kind.storage.hasTable);
  return kinds.flatMap((kind) =>
    optionalIndexes(kind)
      .filter(({ indexes }) => indexes.every(({ name }) => names.has(name)))
      .map(({ parameters }) => ({ kind: kind.id, parameters })),
  );
}
