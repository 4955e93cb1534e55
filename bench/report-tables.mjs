/** The tables of growth, of several processes, and of other programs. */
import { rounded, table, whole } from './report.mjs';

/** @param {number} rate */
const perSecond = (rate) => (rate < 10 ? rate.toFixed(2) : whole(rate));
/** @param {boolean} met */
const mark = (met) => (met ? '' : ' ✗');

/** @param {import('./growth.mjs').GrowthReport} report */
export function growthTable({ sizes, measured }) {
  const head = ['work', 'system', ...sizes.map((size) => `${whole(size)} units`), 'times slower', 'target'];
  const rows = measured.flatMap(({ id, title, target, systems }) => {
    const [first, ...others] = systems;
    const lines = systems.map(({ name, figures }, at) => {
      const rates = figures.map(({ rate }) => rate);
      const slower = rates[0] / Math.min(...rates);
      const isService = at === systems.length - 1;
      const wanted = target.most !== undefined && isService ? `≤ ${target.most}${mark(slower <= target.most)}` : '';
      return [at === 0 ? `${id} ${title}` : '', name, ...rates.map(perSecond), slower.toFixed(2), wanted];
    });
    const ratios = others.map(({ name, figures }) => {
      const each = figures.map(({ rate }, at) => rate / first.figures[at].rate);
      const { ratio } = target;
      const wanted = ratio === undefined ? '' : `≥ ${ratio}${mark(Math.min(...each) >= ratio)}`;
      return ['', `${name} ÷ ${first.name}`, ...each.map((value) => value.toFixed(2)), '', wanted];
    });
    return [...lines, ...ratios];
  });
  return table([head, ...rows]);
}

/** @param {readonly import('./processes.mjs').SharedRow[]} measured */
export function processesTable(measured) {
  const head = ['work', 'system', 'per second', 'p99 ms', 'times the first', 'ratio to bare'];
  const cpu = ['CPU µs: Node', 'PostgreSQL', 'load generator', 'requests of each process'];
  const rows = measured.flatMap(({ id, title, figures }) =>
    figures.map(({ name, rate, p99, toBare, nodeMicros, postgresMicros, loadMicros, shares }, at) => [
      at === 0 ? `${id} ${title}` : '',
      name,
      perSecond(rate),
      rounded(p99),
      (rate / figures[at % 2].rate).toFixed(2),
      at % 2 === 0 ? '' : toBare.toFixed(2),
      rounded(nodeMicros),
      rounded(postgresMicros),
      rounded(loadMicros),
      shares.map(whole).join(' + '),
    ]),
  );
  return table([[...head, ...cpu], ...rows]);
}

export const PEERS_ABOUT = `The same questions on the same PostgreSQL, each program in a database of its own with the same rows and an index on country and population, 10 connections each, one process each. Limits of sign-ins and of load are off. Answers were checked before they were timed. Requests per second, in brackets p99 in ms; \`×\` is how many times faster the service is (median of the rounds' ratios).`;

/** @param {import('./peers.mjs').PeersReport} report */
export function peersText({ measured, memory }) {
  const names = measured[0]?.figures.map(({ name }) => name) ?? [];
  const head = ['work', ...names.flatMap((name, at) => (at === 0 ? [name] : [name, '×']))];
  const rows = measured.map(({ id, title, figures }) => [
    `${id} ${title}`,
    ...figures.flatMap(({ figure: { rate, p99, ratio }, least }, at) => {
      const shown = `${perSecond(rate)} (${rounded(p99)})`;
      if (at === 0) return [shown];
      const wanted = least === undefined ? '' : `, ≥ ${least}${mark(1 / ratio >= least)}`;
      return [shown, ratio > 0 ? `${(1 / ratio).toFixed(1)}${wanted}` : '–'];
    }),
  ]);
  const cpu = measured.map(({ id, title, figures }) => [
    `${id} ${title}`,
    ...figures.map(({ figure }) => `${rounded(figure.nodeMicros)} + ${rounded(figure.postgresMicros)}`),
  ]);
  const cpuTable = table([['CPU µs of a request: Node + PostgreSQL', ...names], ...cpu]);
  const megabytes = memory.map(({ name, loaded }) => `${name} ${rounded(loaded)}`).join(', ');
  return `${table([head, ...rows])}\n\n${cpuTable}\n\nMemory after load, MB: ${megabytes}.`;
}
