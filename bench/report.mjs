/** The tables of the usual run, for the terminal and for RESULTS.md. */
import { execFileSync } from 'node:child_process';
import os from 'node:os';
import { root } from './run.mjs';

/**
 * @typedef {{ id: string, title: string, unit: string, target: number | undefined, figures: import('./measure.mjs').Figure[] }} Row
 * @typedef {{ title: string, about: string, measured: Row[] }} ScaleReport
 * @typedef {{ name: string, idle: number | undefined, loaded: number | undefined }} Memory
 * @typedef {object} ProcessReport
 * @property {Memory[]} memory
 * @property {import('./start-times.mjs').StartTime[]} starts
 * @property {import('./documents.mjs').DocumentTimes | undefined} document
 */

/** @param {number} value */
export const whole = (value) => Math.round(value).toLocaleString('en-US');
/** @param {number | undefined} value */
export const rounded = (value) =>
  value === undefined ? '' : value >= 10 ? String(Math.round(value)) : value.toFixed(1);

/** @param {string[][]} rows the first one is the head */
export function table([head = [], ...rows]) {
  const widths = head.map((_, at) => Math.max(3, ...[head, ...rows].map((row) => (row[at] ?? '').length)));
  /** @param {string[]} row */
  const line = (row) => `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

/** @param {ScaleReport} report */
export function scaleTable({ measured }) {
  const head = ['work', 'system', 'per second', 'p99 ms', 'ratio to the first', 'target', 'CPU µs: Node', 'PostgreSQL'];
  const rows = measured.flatMap(({ id, title, target, figures }) =>
    figures.map(({ name, rate, p99, ratio, nodeMicros, postgresMicros }, at) => [
      at === 0 ? `${id} ${title}` : '',
      name,
      rate < 10 ? rate.toFixed(2) : whole(rate),
      rounded(p99),
      at === 0 ? '' : ratio.toFixed(2),
      at !== 1 || target === undefined ? '' : `≥ ${Number(target.toFixed(2))}${ratio >= target ? '' : ' ✗'}`,
      rounded(nodeMicros),
      rounded(postgresMicros),
    ]),
  );
  return table([head, ...rows]);
}

/** @param {ScaleReport} report */
export function scaleSection({ title, about, measured }) {
  return [`## ${title}`, ...(about === '' ? [] : [about]), scaleTable({ title, about, measured })].join('\n\n');
}

/** @param {ProcessReport} report */
export function processSection({ memory, starts, document }) {
  const parts = [];
  if (memory.length > 0) {
    const rows = memory.map(({ name, idle, loaded }) => [name, rounded(idle), rounded(loaded)]);
    parts.push('## Memory of Node, MB', table([['system', 'idle', 'after load'], ...rows]));
  }
  if (starts.length > 0) parts.push('## Start to ready, embedded PostgreSQL included', startTable(starts));
  if (document) parts.push(`## The API document of ${document.kinds} kinds`, documentTable(document));
  return parts.join('\n\n');
}

/**
 * When, how and on which machine a section was measured.
 * @param {import('./run.mjs').Run} run
 * @param {{ version: string, settings: string }} postgres
 */
export function aboutRun({ options, tool }, { version, settings }) {
  const command = ['npm run bench', ...(process.argv.length > 2 ? ['--', ...process.argv.slice(2)] : [])].join(' ');
  const date = new Date().toISOString().slice(0, 16).replace('T', ' ');
  const memory = Math.round(os.totalmem() / 2 ** 30);
  return [
    `Measured ${date} UTC, commit ${commitOf(root)}, \`${command}\`, medians of ${options.rounds} rounds of ${options.seconds} s.`,
    `${os.cpus().length} × ${os.cpus()[0]?.model ?? 'unknown'}, ${memory} GB, ${os.type()} ${os.release()}, load average ${os.loadavg()[0]?.toFixed(1)} at the end.`,
    `Node ${process.version}, PostgreSQL ${version} (${settings}), ${tool}.`,
  ].join(' ');
}

/** @param {import('./documents.mjs').DocumentTimes} times */
export function documentTable({ bytes, codings, made, kept, known, before, after, targets }) {
  /** @param {number} value @param {number} most */
  const within = (value, most) => (value <= most ? '' : ' ✗');
  return table([
    ['', 'made, ms', 'kept, ms', '304, ms', 'bytes', 'memory before and after, MB'],
    [
      'as it is',
      rounded(made),
      `${rounded(kept)}, ≤ ${targets.kept}${within(kept, targets.kept)}`,
      rounded(known),
      `${whole(bytes)}, ≤ ${whole(targets.bytes)}${within(bytes, targets.bytes)}`,
      `${rounded(before)}, ${rounded(after)}`,
    ],
    ...codings.map((each) => [each.coding, rounded(each.made), rounded(each.kept), '', whole(each.bytes), '']),
  ]);
}

/** @param {import('./start-times.mjs').StartTime[]} starts */
export function startTable(starts) {
  const head = ['command', 'fresh data folder, ms', 'existing, ms', 'CPU of Node, ms', 'memory when idle, MB'];
  const rows = starts.map(({ command, fresh, existing, cpu, idle }) => [
    command,
    rounded(fresh),
    whole(existing),
    rounded(cpu),
    rounded(idle),
  ]);
  return table([head, ...rows]);
}

/** @param {string} folder */
function commitOf(folder) {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty'], { cwd: folder, encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
}
