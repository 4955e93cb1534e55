// Bulk creates: 1,000 units per request, a few requests at a time, with a progress bar.
import { SingleBar } from 'cli-progress';

const BULK = 1000;
const AT_ONCE = 4;

export async function importUnits(client, kind, rows) {
  const bar = progress(kind, rows.length);
  let next = 0;
  const work = async () => {
    while (next < rows.length) {
      const batch = rows.slice(next, next + BULK);
      next += batch.length;
      await client.post(`/${kind}/unit`, batch);
      bar.add(batch.length);
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  } finally {
    bar.stop();
  }
}

/** Sends one request per link, a few at a time. */
export async function makeLinks(client, paths) {
  let next = 0;
  const work = async () => {
    while (next < paths.length) await client.post(paths[next++]);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

function progress(kind, total) {
  if (!process.stdout.isTTY) return plainProgress(kind, total);
  const bar = new SingleBar({
    format: `  ${kind.padEnd(8)} {bar} {value} of {total} · {duration_formatted}`,
    hideCursor: true,
  });
  bar.start(total, 0);
  return { add: (count) => bar.increment(count), stop: () => bar.stop() };
}

/** Prints a line for every fifth of the units. */
function plainProgress(kind, total) {
  let done = 0;
  return {
    add(count) {
      const before = Math.floor((done * 5) / total);
      done += count;
      if (Math.floor((done * 5) / total) > before) process.stdout.write(`  ${kind.padEnd(8)} ${done} of ${total}\n`);
    },
    stop() {},
  };
}
