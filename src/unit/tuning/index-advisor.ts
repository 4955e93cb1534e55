/** Proposes indexes by what the queries of a project did, and makes them by changing definitions. */
import { Injectable } from '@nestjs/common';
import { DefinitionChangeService } from '../../catalog/definition/definition-change.service.js';
import { canBuild, IndexBuilder } from '../../catalog/indexes/index-builder.js';
import { trigramSchema } from '../../catalog/indexes/trigrams.js';
import { loadModel } from '../../catalog/model/model-store.js';
import { Database } from '../../database/database.js';
import { KIND_KIND } from '../../model/built-in-traits.js';
import { kindsUsing, type Model } from '../../model/model.js';
import { optionalIndexes } from '../../model/table/required-indexes.js';
import { listIndexesStatement } from '../../sql/definition/index.sql.js';
import {
  listQueriesStatement,
  unusedIndexesStatement,
  type StoredQuery,
} from '../../sql/definition/query-statistics.sql.js';
import { SYSTEM } from '../../tenancy/caller.js';
import type { Project } from '../../tenancy/project.js';
import { DefinitionWriter } from '../definition-writer.js';
import { isLacking, proposeIndexes, type IndexProposal } from './index-proposals.js';

export interface IndexAdvice {
  /** When the oldest of the recorded queries ran first; undefined if none is recorded. */
  readonly since: string | undefined;
  /** The number of recorded queries, those that differ only in their values counted once, and of their calls. */
  readonly queries: number;
  readonly calls: number;
  readonly proposals: readonly IndexProposal[];
  readonly unused: readonly UnusedIndex[];
  /** Since when PostgreSQL counts the uses of indexes; null if that is from their beginning. */
  readonly unusedSince: string | null;
}

/** An index that was asked for, and that no statement has used. */
export interface UnusedIndex {
  readonly kind: string;
  readonly parameters: readonly string[];
}

@Injectable()
export class IndexAdvisor {
  constructor(
    private readonly database: Database,
    private readonly changes: DefinitionChangeService,
    private readonly definitions: DefinitionWriter,
    private readonly builder: IndexBuilder,
  ) {}

  async advise(project: Project): Promise<IndexAdvice> {
    const model = await loadModel(this.database, project);
    const stored = await this.database.ofProject(project).run<StoredQuery>(listQueriesStatement(project.schema));
    const rows = await this.database
      .ofProject(project)
      .run<{ name: string; since: string | null }>(unusedIndexesStatement(project.schema));
    const names = new Set(rows.map(({ name }) => name));
    const [since] = stored.map((query) => query.since).sort();
    return {
      since,
      queries: stored.length,
      calls: stored.reduce((sum, { calls }) => sum + Number(calls), 0),
      proposals: proposeIndexes(stored, model),
      unused: unusedOf(model, names),
      unusedSince: rows[0]?.since ?? null,
    };
  }

  /** The other kinds that get an index with a proposed one, because they use the same parameter. */
  async alsoIndexed(project: Project, { kind, parameters }: IndexProposal): Promise<string[]> {
    const [id, ...more] = parameters;
    if (id === undefined || more.length > 0) return [];
    const model = await loadModel(this.database, project);
    return kindsUsing(model, id).flatMap((using) => (using.id === kind ? [] : [using.id]));
  }

  /**
   * Makes an index as an administrator would: by `indexed` of the parameter, or `indexes` of the kind. That of a large
   * kind is built after the change, without blocking writes. Returns whether it is ready.
   * @throws KindError 409 if stored values do not allow it
   */
  async apply(project: Project, proposal: IndexProposal): Promise<boolean> {
    const options = { cascade: false, tellCounts: true, caller: SYSTEM };
    await this.changes.change(project, options, async (change) => {
      const model = change.before;
      const kind = model.kinds.get(proposal.kind);
      if (!kind || !isLacking(proposal, model)) return;
      const session = { project, caller: SYSTEM, model, executor: change.tx, change };
      const [id = '', ...more] = proposal.parameters;
      const parameter = model.parameters.get(id);
      if (more.length === 0 && parameter) {
        await this.definitions.update(session, parameter.type, id, { indexed: true });
      } else {
        await this.definitions.update(session, KIND_KIND, kind.id, { indexes: [...kind.indexes, proposal.parameters] });
      }
    });
    await this.builder.finish();
    return this.#isReady(project, proposal);
  }

  async #isReady(project: Project, { kind, parameters }: IndexProposal): Promise<boolean> {
    const found = (await loadModel(this.database, project)).kinds.get(kind);
    const trigrams = await trigramSchema(this.database);
    const rows = await this.database
      .ofProject(project)
      .run<{ name: string; valid: boolean }>(listIndexesStatement(project.schema));
    const valid = new Set(rows.filter((row) => row.valid).map(({ name }) => name));
    const made = found ? optionalIndexes(found).filter((each) => each.parameters.join() === parameters.join()) : [];
    const shapes = made.flatMap(({ indexes }) => indexes);
    return shapes.length > 0 && shapes.every(({ name, method }) => valid.has(name) || !canBuild(method, trigrams));
  }
}

function unusedOf(model: Model, names: ReadonlySet<string>): UnusedIndex[] {
  const kinds = [...model.kinds.values()].filter((kind) => !kind.builtIn && kind.storage.hasTable);
  return kinds.flatMap((kind) =>
    optionalIndexes(kind)
      .filter(({ indexes }) => indexes.every(({ name }) => names.has(name)))
      .map(({ parameters }) => ({ kind: kind.id, parameters })),
  );
}
