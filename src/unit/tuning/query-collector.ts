/** Collects in memory how often the queries of projects ran and how long they took, with few statements to examine. */
import type { Model } from '../../model/model.js';
import type { Statement } from '../../sql/fragment.js';
import type { AddedQuery } from '../../sql/definition/query-statistics.sql.js';
import type { MissingIndex } from './plan-findings.js';

/** The most shapes of one project, and of all projects of this process. */
export const MAX_SHAPES = { project: 100, process: 20_000 } as const;
/** The most statements that wait to be examined: of one project, and of all. */
const MAX_SAMPLES = { project: 4, process: 400 } as const;
/** Longer statements are not examined, in characters. */
const MAX_SAMPLE_LENGTH = 50_000;
/** Milliseconds after which a shape is examined again, and without a call is forgotten. */
const INTERVAL = 600_000;

/** A statement with its values. It stays in memory until it is examined, and is stored nowhere. */
export interface QuerySample {
  readonly statement: Statement;
  readonly model: Model;
}

/** The calls of one shape since they were last stored. */
interface ShapeCalls {
  readonly shape: string;
  calls: number;
  milliseconds: number;
  slowest: number;
  /** When it was last called, and when it is to be examined again. */
  calledAt: number;
  dueAt: number;
  sample: QuerySample | undefined;
  missing: readonly MissingIndex[] | undefined;
}

interface ProjectCalls {
  readonly shapes: Map<string, ShapeCalls>;
  readonly sampled: Set<ShapeCalls>;
}

/** A call of a query, and what it took. */
export interface QueryCall extends QuerySample {
  readonly schema: string;
  readonly shape: string;
  readonly milliseconds: number;
}

export class QueryCollector {
  readonly #projects = new Map<string, ProjectCalls>();
  #size = 0;
  #samples = 0;

  /** The number of shapes in memory. */
  get size(): number {
    return this.#size;
  }

  /** The projects with calls, by schema. */
  get schemas(): string[] {
    return [...this.#projects.keys()];
  }

  /** @param now milliseconds */
  note(call: QueryCall, now: number): void {
    const { schema, shape, milliseconds } = call;
    const project = this.#projects.get(schema) ?? this.#add(schema);
    if (!project) return;
    const entry = project.shapes.get(shape) ?? this.#addShape(project, shape);
    if (!entry) return;
    entry.calls += 1;
    entry.milliseconds += milliseconds;
    if (milliseconds > entry.slowest) entry.slowest = milliseconds;
    entry.calledAt = now;
    if (!entry.sample && entry.dueAt <= now) this.#sample(project, entry, call);
  }

  /** The next statement of a project to examine: of the shape that took the most time. */
  takeSample(schema: string, now: number): { readonly shape: string; readonly sample: QuerySample } | undefined {
    const project = this.#projects.get(schema);
    const [entry] = [...(project?.sampled ?? [])].sort((a, b) => b.milliseconds - a.milliseconds);
    const sample = entry?.sample;
    if (!project || !entry || !sample) return undefined;
    this.#dropSample(project, entry);
    entry.dueAt = now + INTERVAL;
    return { shape: entry.shape, sample };
  }

  /** Notes the result of examining a shape. */
  noteMissing(schema: string, shape: string, missing: readonly MissingIndex[]): void {
    const entry = this.#projects.get(schema)?.shapes.get(shape);
    if (entry) entry.missing = missing;
  }

  /** What is to be added to the stored numbers of a project, from which its calls begin again. */
  take(schema: string, now: number): AddedQuery[] {
    const project = this.#projects.get(schema);
    const rows: AddedQuery[] = [];
    for (const entry of project?.shapes.values() ?? []) {
      const { shape: id, calls, milliseconds, slowest, missing = null } = entry;
      if (calls > 0 || missing) rows.push({ id, calls, milliseconds, slowest, missing });
      Object.assign(entry, { calls: 0, milliseconds: 0, slowest: 0, missing: undefined });
      if (project && entry.calledAt + INTERVAL <= now) this.#drop(project, entry);
    }
    if (project?.shapes.size === 0) this.#projects.delete(schema);
    return rows;
  }

  forget(schema: string): void {
    const project = this.#projects.get(schema);
    for (const entry of project?.shapes.values() ?? []) if (project) this.#drop(project, entry);
    this.#projects.delete(schema);
  }

  #add(schema: string): ProjectCalls | undefined {
    if (this.#size >= MAX_SHAPES.process) return undefined;
    const project: ProjectCalls = { shapes: new Map(), sampled: new Set() };
    this.#projects.set(schema, project);
    return project;
  }

  /** Where there is no room, the shape of the same project that took the least time is forgotten. */
  #addShape(project: ProjectCalls, shape: string): ShapeCalls | undefined {
    if (project.shapes.size >= MAX_SHAPES.project || this.#size >= MAX_SHAPES.process) {
      let least: ShapeCalls | undefined;
      for (const each of project.shapes.values()) if (!least || each.milliseconds < least.milliseconds) least = each;
      if (!least) return undefined;
      this.#drop(project, least);
    }
    const entry: ShapeCalls = {
      shape,
      calls: 0,
      milliseconds: 0,
      slowest: 0,
      calledAt: 0,
      dueAt: 0,
      sample: undefined,
      missing: undefined,
    };
    project.shapes.set(shape, entry);
    this.#size += 1;
    return entry;
  }

  #sample(project: ProjectCalls, entry: ShapeCalls, { statement, model }: QuerySample): void {
    if (project.sampled.size >= MAX_SAMPLES.project || this.#samples >= MAX_SAMPLES.process) {
      let least: ShapeCalls | undefined;
      for (const each of project.sampled) if (!least || each.milliseconds < least.milliseconds) least = each;
      if (!least || least.milliseconds >= entry.milliseconds) return;
      this.#dropSample(project, least);
    }
    if (statement.text.length > MAX_SAMPLE_LENGTH) return;
    entry.sample = { statement, model };
    project.sampled.add(entry);
    this.#samples += 1;
  }

  #dropSample(project: ProjectCalls, entry: ShapeCalls): void {
    entry.sample = undefined;
    if (project.sampled.delete(entry)) this.#samples -= 1;
  }

  #drop(project: ProjectCalls, entry: ShapeCalls): void {
    this.#dropSample(project, entry);
    if (project.shapes.delete(entry.shape)) this.#size -= 1;
  }
}
