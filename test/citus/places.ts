/** Where Citus has a project, and writes that go on while that changes. */
import { expect } from 'vitest';
import { ok, query } from '../support/definitions.js';
import { follow } from '../support/live.js';
import type { TestProject } from '../support/service.js';

export const isCitus = Boolean(process.env['TEST_CITUS_URL']);

export interface Place {
  readonly name: string;
  readonly port: number;
}

/** The worker that has the tables of a project; undefined if they are on the coordinator. */
export async function workerOf(project: TestProject): Promise<Place | undefined> {
  const [place] = await query<Place>(
    project,
    `SELECT DISTINCT nodename AS name, nodeport AS port FROM citus_shards
     WHERE citus_table_type = 'schema' AND split_part(table_name::text, '.', 1) IN ('project_${project.id}', '"project_${project.id}"')`,
  );
  return place;
}

/** A worker that has not. */
export async function otherWorker(project: TestProject): Promise<Place> {
  const port = (await workerOf(project))?.port ?? 0;
  const [other] = await query<Place>(
    project,
    `SELECT node_name AS name, node_port::int AS port FROM citus_get_active_worker_nodes() WHERE node_port <> $1`,
    [port],
  );
  if (!other) throw new Error('there is no second worker');
  return other;
}

export const NOTES = { id: 'note', changes: 'feed', parameters: [{ id: 'label', kind_id: 'string' }] };

export interface Writers {
  /** The labels whose create was acknowledged. */
  readonly made: readonly string[];
  /** Waits until a few more were. */
  goOn(): Promise<void>;
  stop(): Promise<readonly string[]>;
}

/** Creates notes with several callers until told to stop. */
export function writing(callers: readonly TestProject[]): Writers {
  const made: string[] = [];
  let stopped = false;
  const each = callers.map(async (caller, at) => {
    for (let n = 0; !stopped; n++) {
      const label = `w${at}-${n}`;
      const { status, text } = await caller.post('/note/unit', { label });
      if (status === 200) made.push(label);
      // What is refused for now may be sent again; here it is just not counted.
      else expect([status, text]).toEqual([503, text]);
    }
  });
  return {
    made,
    goOn: async () => {
      const before = made.length;
      await expect.poll(() => made.length, { timeout: 30_000 }).toBeGreaterThan(before + 10);
    },
    stop: async () => {
      stopped = true;
      await Promise.all(each);
      return made;
    },
  };
}

/** Follows the notes from now on, by the feed and by a live list. */
export async function following(project: TestProject): Promise<{ expectOnce(made: readonly string[]): Promise<void> }> {
  const labels: string[] = [];
  let stopped = false;
  let since = '';
  const read = async (wait: number): Promise<boolean> => {
    const reply = await project.get(`/changes?kinds=note&wait=${wait}${since && `&since=${since}`}`);
    if (reply.status === 503) return true;
    const page = (await ok(Promise.resolve(reply))) as unknown as FeedPage;
    labels.push(...page.items.map(({ unit }) => unit.label));
    since = page.next;
    return page.more;
  };
  await read(0);
  const live = await follow(project, { notes: '/note/unit?limit=1000' });
  const reading = (async () => {
    while (!stopped) await read(2);
  })();
  return {
    expectOnce: async (made) => {
      stopped = true;
      await reading;
      while (await read(0));
      const all = [...made].sort();
      expect(labels.sort()).toEqual(all);
      const listed = (): unknown[] => [...(live.lists.get('notes')?.values() ?? [])].map(({ label }) => label).sort();
      await live.until(() => listed().length >= all.length);
      expect(listed()).toEqual(all);
      const inserted = live.events.flatMap(({ event, unit }) => (event === 'insert' && unit ? unit.id : []));
      expect(new Set(inserted).size).toBe(inserted.length);
      expect(inserted.length).toBeGreaterThan(0);
      live.close();
    },
  };
}

interface FeedPage {
  readonly items: readonly { readonly unit: { readonly label: string } }[];
  readonly next: string;
  readonly more: boolean;
}

/** The notes that are stored are those that were acknowledged. */
export async function expectStoredOnce(project: TestProject, made: readonly string[]): Promise<void> {
  const rows = await query<{ label: string }>(project, 'SELECT "label" FROM $schema."note" ORDER BY "label"');
  expect(rows.map(({ label }) => label)).toEqual([...made].sort());
}
