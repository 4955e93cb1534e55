/** The options of the command line: workloads, duration, number of rows. */
import { parseArgs } from 'node:util';

/**
 * @typedef {object} Options
 * @property {number} rounds times that each system is measured; figures are medians
 * @property {number} seconds length of one measurement
 * @property {number} warmup seconds before a system's first measurement of a workload
 * @property {number} quiet seconds to wait, at most, for a quiet machine before each measurement
 * @property {ReadonlySet<string> | undefined} only workloads to measure; undefined for all
 * @property {readonly { name: string, rows: number }[]} scales
 * @property {readonly string[]} others dist folders of other builds of the service, measured beside this one
 * @property {string | undefined} profile folder for CPU profiles of the service
 * @property {boolean} write whether RESULTS.md is written
 */

const USAGE = `npm run bench -- [options]
  --rounds 3        times that each system is measured; figures are medians
  --seconds 4       length of one measurement
  --warmup 1        seconds before a system's first measurement of a workload
  --quiet 0         seconds to wait, at most, for a quiet machine before each measurement
  --only W1,W4      workloads: W1 W2 W3 W4 W5 W7 W8 bulk R1 R2 R3 F1 document start, and L1 to L8 along links
  --scale 10k,135k  rows of the table, real cities (repeated where there are not enough)
  --other <dist>    another build of the service, measured beside this one; may be repeated
  --profile <dir>   CPU profiles of the service (node --cpu-prof) go there
  --no-write        leaves RESULTS.md as it is`;

/**
 * @param {string[]} args
 * @returns {Options}
 */
export function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '4' },
      warmup: { type: 'string', default: '1' },
      quiet: { type: 'string', default: '0' },
      only: { type: 'string' },
      scale: { type: 'string', default: '135k' },
      other: { type: 'string', multiple: true, default: [] },
      profile: { type: 'string' },
      'no-write': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    process.exit(0);
  }
  return {
    rounds: number('rounds', values.rounds, 1),
    seconds: number('seconds', values.seconds, 1),
    warmup: number('warmup', values.warmup, 0),
    quiet: number('quiet', values.quiet, 0),
    only: values.only === undefined ? undefined : new Set(values.only.split(',')),
    scales: values.scale.split(',').map((name) => ({ name, rows: rowsOf(name) })),
    others: values.other,
    profile: values.profile,
    write: !values['no-write'],
  };
}

/**
 * @param {string} name
 * @param {string} text
 * @param {number} min
 */
function number(name, text, min) {
  const value = Number(text);
  if (Number.isInteger(value) && value >= min) return value;
  throw new Error(`--${name}: wants a whole number from ${min}, got '${text}'`);
}

/** `10k`, `1.1m`, `5000`. @param {string} text */
function rowsOf(text) {
  const [, digits, unit = ''] = /^(\d+(?:\.\d+)?)([km]?)$/i.exec(text) ?? [];
  const factor = { '': 1, k: 1_000, m: 1_000_000 }[unit.toLowerCase()];
  if (digits === undefined || factor === undefined) throw new Error(`--scale: wants 10k, 135k, 1.1m, got '${text}'`);
  return Math.round(Number(digits) * factor);
}
