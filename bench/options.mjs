/** The options of the command line: what is measured, duration, number of rows. */
import { parseArgs } from 'node:util';

/**
 * @typedef {object} Options
 * @property {number} rounds times that each system is measured; figures are medians
 * @property {number} seconds length of one measurement
 * @property {number} warmup seconds of load before a system's first measurement of a workload, repeated up to four times
 * @property {number} quiet seconds to wait, at most, for a quiet machine before each measurement
 * @property {ReadonlySet<string> | undefined} only workloads to measure; undefined for all
 * @property {readonly { name: string, rows: number }[]} scales
 * @property {readonly number[]} processes numbers of processes to compare; empty for the usual run
 * @property {readonly string[]} peers other programs to compare with; empty for the usual run
 * @property {string | undefined} data folder of PostgreSQL that is kept for the next run
 * @property {readonly string[]} others dist folders of other builds of the service, measured beside this one
 * @property {string | undefined} profile folder for CPU profiles of the service
 * @property {boolean} write whether RESULTS.md is written
 */

export const PEERS = ['parse-server', 'directus', 'strapi'];

const USAGE = `npm run bench -- [options]
  --rounds 3        times that each system is measured; figures are medians
  --seconds 4       length of one measurement
  --warmup 1        seconds of load before a system's first measurement of a workload, repeated while it gets faster
  --quiet 0         seconds to wait, at most, for a quiet machine before each measurement
  --only W1,W4      workloads: W1 W2 W3 W4 W5 W7 W8 A1 bulk U1 U2 I1 X1 R1 R2 R3 F1 G1 document start, L1 to L10 along links, E1 E2 E3 S1
  --scale 135k      rows of the table, real cities (repeated where there are not enough)
  --other <dist>    another build of the service, measured beside this one; may be repeated
  --profile <dir>   CPU profiles of the service (node --cpu-prof) go there
  --no-write        leaves RESULTS.md as it is

These measure something else instead of the usual run, and write a section of their own:
  --scale 10k,100k,1m,10m   growth: W1, W2, W3, W8 and pages by cursor at each size, with a chart
  --processes 1,2           W1 and W2 with so many processes
  --peers                   W1 to W8 of Parse Server, Directus and Strapi, which it installs in bench/.peers
  --peer parse-server       one of them; may be repeated
  --data <dir>              keeps PostgreSQL's data there, so that the next run need not write the cities again`;

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
      processes: { type: 'string', default: '' },
      peers: { type: 'boolean', default: false },
      peer: { type: 'string', multiple: true, default: [] },
      data: { type: 'string' },
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
  const isUsual = values.processes === '' && !values.peers && values.peer.length === 0 && !values.scale.includes(',');
  if (values.data !== undefined && isUsual) throw new Error('--data: not with the usual run, which writes');
  for (const peer of values.peer) {
    if (!PEERS.includes(peer)) throw new Error(`--peer: wants one of ${PEERS.join(', ')}, got '${peer}'`);
  }
  return {
    rounds: number('rounds', values.rounds, 1),
    seconds: number('seconds', values.seconds, 1),
    warmup: number('warmup', values.warmup, 0),
    quiet: number('quiet', values.quiet, 0),
    only: values.only === undefined ? undefined : new Set(values.only.split(',')),
    scales: values.scale.split(',').map((name) => ({ name, rows: rowsOf(name) })),
    processes: listOf(values.processes).map((text) => number('processes', text, 1)),
    peers: values.peers ? PEERS : values.peer,
    data: values.data,
    others: values.other,
    profile: values.profile,
    write: !values['no-write'],
  };
}

/** @param {string} text */
function listOf(text) {
  return text === '' ? [] : text.split(',');
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
