/** The chart of growth, from the results of the last run with several sizes: `node chart.mjs` makes it again. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as echarts from 'echarts';

const RESULTS = join(import.meta.dirname, 'growth.json');
const CHART = join(import.meta.dirname, 'growth.svg');

const PANEL = { width: 240, height: 170, columns: 3, left: 60, top: 70, gapX: 60, gapY: 85 };
/** Of the systems of a workload: the one to compare with, and the service. */
const COLORS = ['#9a9a9a', '#1f6feb'];
const PAGE_COLORS = ['#b7d3a8', '#2f7d32'];

/** Keeps the results, and draws them. @param {import('./growth.mjs').GrowthReport} report */
export async function writeGrowth(report) {
  await writeFile(RESULTS, `${JSON.stringify(report, null, 1)}\n`);
  await drawGrowth();
}

async function drawGrowth() {
  /** @type {import('./growth.mjs').GrowthReport} */
  const report = JSON.parse(await readFile(RESULTS, 'utf8'));
  await writeFile(CHART, `${svgOf(report)}\n`);
}

/** One panel per workload, requests per second over the number of units. @param {import('./growth.mjs').GrowthReport} report */
function svgOf({ sizes, measured }) {
  const { width, height, columns, left, top, gapX, gapY } = PANEL;
  const corners = measured.map((_, at) => ({
    left: left + (at % columns) * (width + gapX),
    top: top + Math.floor(at / columns) * (height + gapY),
  }));
  const axis = { type: 'log', axisLabel: { formatter: shortNumber }, minorSplitLine: { show: false } };
  const chart = echarts.init(null, null, {
    ...{ renderer: 'svg', ssr: true, width: left + columns * (width + gapX) },
    height: top + Math.ceil(measured.length / columns) * (height + gapY),
  });
  chart.setOption({
    animation: false,
    backgroundColor: '#ffffff',
    title: [
      { text: 'Requests per second over the number of units', left: 20, top: 8, textStyle: { fontSize: 15 } },
      ...measured.map(({ id, title }, at) => ({
        text: `${id}: ${title.replace(/, .*/, '')}`,
        left: corners[at].left,
        top: corners[at].top - 30,
        textStyle: { fontSize: 12 },
      })),
    ],
    legend: { right: 20, top: 8, itemGap: 16 },
    grid: corners.map((corner) => ({ ...corner, width, height })),
    xAxis: measured.map((_, gridIndex) => ({ ...axis, gridIndex, min: sizes[0], max: sizes.at(-1) })),
    yAxis: measured.map((growth, gridIndex) => ({ ...axis, gridIndex, ...rangeOf(growth) })),
    series: measured.flatMap(({ id, systems }, at) =>
      systems.map(({ name, figures }, turn) => ({
        ...{
          name,
          type: 'line',
          xAxisIndex: at,
          yAxisIndex: at,
          color: (id === 'cursor' ? PAGE_COLORS : COLORS)[turn],
          symbol: 'circle',
          symbolSize: 6,
        },
        data: figures.map(({ rate }, size) => [sizes[size], Number(rate.toPrecision(3))]),
      })),
    ),
  });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg;
}

/** Whole powers of ten around all figures. @param {import('./growth.mjs').Growth} growth */
function rangeOf({ systems }) {
  const rates = systems.flatMap(({ figures }) => figures.map(({ rate }) => rate)).filter((rate) => rate > 0);
  return {
    min: 10 ** Math.floor(Math.log10(Math.min(...rates))),
    max: 10 ** Math.ceil(Math.log10(Math.max(...rates))),
  };
}

/** @param {number} value */
function shortNumber(value) {
  if (value >= 1_000_000) return `${value / 1_000_000}m`;
  return value >= 1000 ? `${value / 1000}k` : String(value);
}

if (process.argv[1] === import.meta.filename) await drawGrowth();
