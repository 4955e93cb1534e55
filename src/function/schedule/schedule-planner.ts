/**
 * Notes in the registry which functions of which projects run next. Whichever service comes first looks at all projects
 * once a minute, for all that have the same schedules.
 */
import { Injectable } from '@nestjs/common';
import { readSchemas } from '../../catalog/model/model-store.js';
import { Database } from '../../database/database.js';
import { ProjectRepository, type ProjectRow } from '../../database/registry/project.repository.js';
import { WorkClaims, type PlannedWork } from '../../database/registry/work-claims.js';
import { schemaName } from '../../model/names.js';
import { ROUND_INTERVAL } from '../../shared/periodic-work.js';
import { activeKindsStatement } from '../../sql/definition/model.sql.js';
import type { Deployment } from '../load/deployment.js';
import { dueOf, knownSchedules, runningSchedules, scheduledIn, workName, type ScheduledDef } from './scheduled.js';

/** Projects that are looked at together. */
const BATCH = 100;

@Injectable()
export class SchedulePlanner {
  /** The next runs. */
  readonly runs: WorkClaims;
  /** The looks at all projects. */
  readonly #looks: WorkClaims;
  /** The schedules that there is a look for. */
  #known: string | undefined;

  constructor(
    private readonly database: Database,
    private readonly projects: ProjectRepository,
  ) {
    this.runs = new WorkClaims(database, 'schedule');
    this.#looks = new WorkClaims(database, 'schedules');
  }

  /** Looks at all projects if it is time. */
  async look(deployment: Deployment): Promise<void> {
    const { id, names } = knownSchedules(deployment);
    if (this.#known !== id) {
      await this.#looks.plan([{ project: null, name: id, detail: '', due: await this.runs.now() }]);
      this.#known = id;
    }
    const look = await this.#looks.claim(() => ({ names: [id], busy: [] }));
    if (!look) return;
    let next: number | undefined;
    try {
      await this.#lookAt(await this.projects.list(), deployment, { names, now: look.now });
      await this.runs.forgetOld();
      await this.#looks.forgetOld();
      next = look.now + ROUND_INTERVAL;
    } finally {
      await this.#looks.release(look, next);
    }
  }

  /** Notes one function of a project, if that was not done yet. */
  async note(project: string, def: ScheduledDef): Promise<void> {
    await this.runs.plan([plannedRun(project, def, await this.runs.now())]);
  }

  async #lookAt(
    rows: readonly ProjectRow[],
    deployment: Deployment,
    { names, now }: { readonly names: readonly string[]; readonly now: number },
  ): Promise<void> {
    const scheduled = rows
      .filter(({ status }) => status === 'active')
      .map((row) => ({ row, all: scheduledIn(deployment, row.id) }))
      .filter(({ all }) => all.length > 0);
    for (let at = 0; at < scheduled.length; at += BATCH) {
      const batch = scheduled.slice(at, at + BATCH);
      const kinds = await this.#activeKinds(batch.filter(({ row }) => row.settings.background !== false));
      const planned = batch.flatMap(({ row: { id }, all }) => {
        const { running } = runningSchedules(all, kinds.get(schemaName(id)) ?? new Set());
        return running.map((def) => plannedRun(id, def, now));
      });
      await this.runs.plan(planned);
      await this.runs.forgetOthers({ projects: batch.map(({ row }) => row.id), names }, planned);
    }
  }

  /** The active ones among the kinds with schedules, by schema. */
  async #activeKinds(
    batch: readonly { readonly row: ProjectRow; readonly all: readonly ScheduledDef[] }[],
  ): Promise<ReadonlyMap<string, Set<string>>> {
    const kinds = [...new Set(batch.flatMap(({ all }) => all.map(({ kind }) => kind)))];
    const found = new Map(batch.map(({ row }) => [schemaName(row.id), new Set<string>()]));
    const read = (schemas: readonly string[]) => activeKindsStatement(schemas, kinds);
    const rows = await readSchemas<{ schema: string; id: string }>(this.database, [...found.keys()], read);
    for (const { schema, id } of rows) found.get(schema)?.add(id);
    return found;
  }
}

function plannedRun(project: string, def: ScheduledDef, now: number): PlannedWork {
  const { cron, timezone } = def.ticks.schedule;
  return { project, name: workName(def), detail: `${cron} ${timezone}`, due: dueOf(def.ticks.after(now), project) };
}
