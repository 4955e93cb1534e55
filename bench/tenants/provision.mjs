/** Makes the projects of a run, and goes on where an earlier run ended. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { median } from '../measure.mjs';
import { defineKinds, inParallel, KINDS, signIn, tenantId, withProvisioning } from './projects.mjs';

/** Projects whose kinds are defined by REST; the others are imported from an export of the first. */
const BY_REST = 5;
/** Projects made at the same time. */
const CONCURRENCY = 2;
/** So many projects have a line of their own. */
const PROJECTS_PER_LINE = 250;

/** Complete projects. The last table is made last. */
const COMPLETE = `SELECT id FROM kind.project
  WHERE to_regclass(format('%I.%I', 'project_' || id, 'thing${KINDS - 1}')) IS NOT NULL`;

/**
 * @param {object} options
 * @param {string} options.url of the service
 * @param {string} options.dist
 * @param {string} options.folder
 * @param {import('../postgres.mjs').Postgres} options.postgres
 * @param {number} options.projects
 * @param {number} options.until as `performance.now()`; no project is begun after it
 * @param {string | undefined} options.pause a file; no project is begun while it exists
 * @param {(...parts: unknown[]) => void} options.print
 * @param {() => Promise<string>} options.memoryText
 * @returns {Promise<string[]>} the ids of the projects that are there
 */
export async function provision({ url, dist, folder, postgres, projects, until, pause, print, memoryText }) {
  const complete = await idsOf(postgres, COMPLETE);
  const registered = await idsOf(postgres, 'SELECT id FROM kind.project');
  const wanted = Array.from({ length: projects }, (_, at) => tenantId(at));
  const missing = wanted.filter((id) => !complete.has(id));
  const began = performance.now();
  const steps = { create: new Times(), define: new Times(), fill: new Times() };
  await withProvisioning(dist, postgres.url, folder, async ({ create, remove, exportTo, importFrom }) => {
    const begin = async (/** @type {string} */ id) => {
      // Left by a run that was killed.
      if (registered.has(id)) await remove(id);
      await steps.create.of(() => create(id));
    };
    for (const id of missing.filter((each) => wanted.indexOf(each) < BY_REST)) {
      await begin(id);
      const tenant = await signIn(url, id);
      await steps.define.of(() => defineKinds(url, tenant));
    }
    const copy = join(folder, 'copy');
    if (!existsSync(copy)) await exportTo(tenantId(0), copy);
    const imported = missing.filter((each) => wanted.indexOf(each) >= BY_REST);
    let made = projects - imported.length;
    await inParallel(imported, CONCURRENCY, async (id) => {
      while (pause !== undefined && existsSync(pause)) await delay(1000);
      if (performance.now() > until) return;
      await begin(id);
      await steps.fill.of(() => importFrom(id, copy));
      made += 1;
      if (made % PROJECTS_PER_LINE !== 0) return;
      const { create: created, fill } = steps;
      print(`  ${made} projects: made in ${created.lastText()}, filled in ${fill.lastText()};`, await memoryText());
    });
  });
  if (steps.create.count > 0) {
    const { create, define, fill } = steps;
    const seconds = (performance.now() - began) / 1000;
    print(`${create.count} projects of ${KINDS} kinds in ${seconds.toFixed(0)} s, ${CONCURRENCY} at a time`);
    print(`  a project with its administrator: ${create.text()}`);
    if (define.count > 0) print(`  its kinds and units by REST, one after the other: ${define.text()}`);
    if (fill.count > 0) print(`  its kinds and units, imported at once: ${fill.text()}`);
    print('  afterwards:', await memoryText());
  }
  const there = await idsOf(postgres, COMPLETE);
  return wanted.filter((id) => there.has(id));
}

/** @param {import('../postgres.mjs').Postgres} postgres @param {string} query */
async function idsOf(postgres, query) {
  const { rows } = await postgres.client.query(query);
  return new Set(rows.map(({ id }) => id));
}

/** How long something took, in milliseconds, each time. */
class Times {
  /** @type {number[]} */
  #all = [];

  get count() {
    return this.#all.length;
  }

  /** @param {() => Promise<unknown>} work */
  async of(work) {
    const began = performance.now();
    await work();
    this.#all.push(performance.now() - began);
  }

  /** Of all of them. */
  text() {
    return spanText(this.#all);
  }

  /** Of the last ones. */
  lastText() {
    return spanText(this.#all.slice(-PROJECTS_PER_LINE));
  }
}

/** @param {readonly number[]} times */
function spanText(times) {
  const [least, middle, most] = [Math.min(...times), median(times), Math.max(...times)].map((time) => time.toFixed(0));
  return `${middle} ms (${least} to ${most})`;
}
