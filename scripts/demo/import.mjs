// Imports: all units of a kind with one request, as NDJSON that is sent as it is made, with a progress bar.
import { SingleBar } from 'cli-progress';

/** Units of which the text is made at once. */
const PART = 500;
const AT_ONCE = 4;

export async function importUnits(client, kind, rows) {
  const bar = progress(kind, rows.length);
  async function* file() {
    for (let at = 0; at < rows.length; at += PART) {
      const part = rows.slice(at, at + PART);
      yield Buffer.from(part.map((row) => `${JSON.stringify(row)}\n`).join(''));
      bar.add(part.length);
    }
  }
  try {
    await client.upload(`/${kind}/import`, 'application/x-ndjson', file());
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
    format: `  ${kind.padEnd(8)} {bar} {value} of {total} · {rate} a second · {eta_formatted} left`,
    hideCursor: true,
  });
  const started = performance.now();
  let done = 0;
  bar.start(total, 0, { rate: '0' });
  return {
    add(count) {
      done += count;
      const rate = Math.round(done / Math.max(0.001, (performance.now() - started) / 1000));
      bar.update(done, { rate: rate.toLocaleString('en') });
    },
    stop: () => bar.stop(),
  };
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
