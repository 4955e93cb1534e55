/** A project that imports, filters badly, walks and calls functions as hard as it can. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { call } from './projects.mjs';

const UNITS = 20_000;
const UNITS_AT_ONCE = 1000;
const IMPORTED = 5000;

const FUNCTIONS = `import { kind } from 'kind';
const noise = kind('noise');
export default noise.module({
  functions: {
    work: noise.function({
      description: 'Computes for some milliseconds, and reads',
      methods: ['GET'],
      access: 'anyone',
      async run({ units }) {
        let sum = 0;
        for (let at = 0; at < 2e6; at += 1) sum += at % 7;
        await units('noise').list({ limit: 100 });
        return { sum };
      },
    }),
  },
});
`;

/** Writes the functions of the noisy project. @param {string} folder @param {string} project */
export async function writeFunctions(folder, project) {
  await mkdir(join(folder, project), { recursive: true });
  await writeFile(join(folder, project, 'noise.ts'), FUNCTIONS);
}

/**
 * Units without an index on their text, and links between them.
 * @param {string} url
 * @param {import('./projects.mjs').Tenant} tenant
 */
export async function makeNoisyKinds(url, tenant) {
  await call(url, 'POST', '/kind/unit', tenant, {
    id: 'noise',
    public: true,
    parameters: [
      { id: 'text', kind_id: 'text' },
      { id: 'number', kind_id: 'integer' },
    ],
  });
  /** @type {string[]} */
  const ids = [];
  for (let at = 0; at < UNITS; at += UNITS_AT_ONCE) {
    const units = Array.from({ length: UNITS_AT_ONCE }, (_, n) => ({
      text: 'some text '.repeat(20) + (at + n),
      number: n,
    }));
    const { items } = await call(url, 'POST', '/noise/unit', tenant, units);
    ids.push(...items.map((/** @type {{ id: string }} */ { id }) => id));
  }
  for (let at = 0; at < 200; at += 1) {
    const items = [1, 7, 31].map((step) => ({ kind_id: 'noise', id: ids[(at * 3 + step) % ids.length] }));
    await call(url, 'POST', `/noise/unit/${ids[at]}/link/link/child`, tenant, { items });
  }
  return ids;
}

export const SORTS = ['import', 'filter', 'walk', 'call'];

/**
 * Runs each sort of noise on so many connections until the signal aborts. Returns the numbers of answers by sort and status.
 * @param {string} url
 * @param {import('./projects.mjs').Tenant} tenant
 * @param {readonly string[]} ids
 * @param {readonly string[]} names the sorts of noise
 * @param {number} each
 * @param {AbortSignal} signal
 */
export async function makeNoise(url, tenant, ids, names, each, signal) {
  const csv = `text,number\n${Array.from({ length: IMPORTED }, (_, n) => `${'imported text '.repeat(10)}${n},${n}`).join('\n')}\n`;
  const headers = { 'kind-project-key': tenant.id, authorization: `Bearer ${tenant.token}` };
  const sorts = {
    import: () =>
      fetch(`${url}/api/lib/noise/import?format=csv`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'text/csv' },
        body: csv,
        signal,
      }),
    filter: () =>
      fetch(`${url}/api/lib/noise/unit?filter=icontains(text,xyz)&order=text&limit=1000`, { headers, signal }),
    walk: () => fetch(`${url}/api/lib/noise/unit/${ids[0]}/link/child?depth=10`, { headers, signal }),
    call: () => fetch(`${url}/api/lib/noise/function/work`, { headers, signal }),
  };
  /** @type {Record<string, number>} */
  const answers = {};
  const chosen = Object.entries(sorts).filter(([name]) => names.includes(name));
  const work = chosen.flatMap(([name, send]) =>
    Array.from({ length: each }, async () => {
      while (!signal.aborted) {
        try {
          const response = await send();
          await response.arrayBuffer();
          const key = `${name} ${response.status}`;
          answers[key] = (answers[key] ?? 0) + 1;
        } catch (error) {
          if (!signal.aborted) throw error;
        }
      }
    }),
  );
  await Promise.all(work);
  return answers;
}
