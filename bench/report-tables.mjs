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
