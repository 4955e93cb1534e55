/** Several processes on one port (`WORKERS`): how much faster they are than one, and whether they share the load evenly. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { checkAnswers } from './check.mjs';
import { asSystem, logged, underLoad } from './compare.mjs';
import { countedBetween, requestCounts } from './request-counts.mjs';
import { startBare, startService } from './systems.mjs';
import { workloadsOf } from './workloads.mjs';

const WORKLOADS = ['W1', 'W2'];
/** Milliseconds after which the processes have written their numbers of requests. */
const WRITTEN_WITHIN = 300;

/**
 * @typedef {import('./measure.mjs').Figure & { processes: number, toBare: number, shares: readonly number[] }} SharedFigure
 *   shares: requests of each process; toBare: the ratio to the bare handler with as many processes
 * @typedef {{ id: string, title: string, figures: SharedFigure[] }} SharedRow
 */

/**
 * @param {import('./run.mjs').Run} run
 * @param {import('./postgres.mjs').Postgres} postgres
 * @param {import('./service.mjs').Service} service
 * @param {import('./dataset.mjs').Dataset} dataset
 * @returns {Promise<SharedRow[]>}
 */
export async function compareProcesses(run, postgres, service, dataset) {
  /** @type {{ system: import('./systems.mjs').System, processes: number, counts: string }[]} */
  const systems = [];
  for (const processes of run.options.processes) {
    for (const kind of ['bare', 'service']) {
      const name = `${kind} × ${processes}`;
      const counts = join(run.folder, `counts ${name}`);
      await mkdir(counts);
      const options = { processes, counts };
      const system =
        kind === 'bare'
          ? await startBare(run, postgres, service, name, options)
          : await startService(run, postgres, name, options);
      systems.push({ system, processes, counts });
    }
  }
  const rows = [];
  for (const workload of workloadsOf(dataset).filter(({ id }) => WORKLOADS.includes(id) && run.wants(id))) {
    await checkAnswers(
      workload,
      systems.map(({ system }) => system),
      () => Promise.resolve(),
    );
    const countAll = async () => {
      await delay(WRITTEN_WITHIN);
      return Promise.all(systems.map(({ counts }) => requestCounts(counts)));
    };
    const before = await countAll();
    const loaded = systems.map(({ system }) => ({ ...asSystem(system), requests: workload.requests }));
    const figures = await underLoad(run, loaded, postgres);
    const after = await countAll();
    const { id, title, target } = workload;
    logged(run, { id, title, target, unit: 'requests', figures });
    rows.push({
      ...{ id, title },
      figures: figures.map((figure, at) => ({
        ...figure,
        processes: systems[at].processes,
        toBare: figure.ratio / figures[at - (at % 2)].ratio,
        shares: countedBetween(before[at], after[at]),
      })),
    });
  }
  return rows;
}
