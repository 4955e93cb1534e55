/** Bars or lines. */
import {
  Bar,
  BarChart,
  CartesianGrid,
  Legend,
  Line,
  LineChart,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts';
import { useText } from '../i18n/text.js';
import { shortened } from '../shell/shortened.js';
import { shortNumber } from './chart-names.js';
import type { ChartParts } from './chart-table.js';

interface PlotProps extends ChartParts {
  readonly as: 'bars' | 'lines';
  /** Whether rows are periods; they are not by default. */
  readonly isOverTime?: boolean;
}

/** Characters of a name below the picture. */
const MOST_OF_NAME = 20;
const MOST_TICKS = 8;

const axis = { stroke: 'var(--chart-axis)', tick: { fill: 'var(--chart-axis)', fontSize: 12 } };
const box = {
  contentStyle: { background: 'var(--mantine-color-body)', border: '1px solid var(--mantine-color-default-border)' },
  isAnimationActive: false,
};

export function Plot({ as, values, by, split, isSplit, isOverTime = false, names }: PlotProps) {
  const text = useText();
  // Units without a time have no place among the periods.
  const hasTimes = as === 'lines' && isOverTime;
  const shown = hasTimes ? values.rows.filter((row) => row.by !== null) : values.rows;
  const nameOfTime = new Map(shown.map((row) => [Date.parse(String(row.by)), by(row.by)]));
  const rows = shown.map((row) => ({
    name: by(row.by),
    time: Date.parse(String(row.by)),
    ...Object.fromEntries(row.values.map((value, at) => [`s${at}`, plotted(value)])),
  }));
  const series = values.series.map((value, at) => ({
    key: `s${at}`,
    name: isSplit ? split(value) : names.measure,
    color: `var(--chart-${at})`,
  }));
  const isWhole = values.rows.every((row) => row.values.every((value) => Number.isInteger(Number(value ?? 0))));
  const common = (
    <>
      <CartesianGrid stroke="var(--chart-grid)" vertical={false} />
      {hasTimes ? (
        <XAxis
          dataKey="time"
          type="number"
          scale="time"
          domain={['dataMin', 'dataMax']}
          ticks={ticksOf(rows.map(({ time }) => time))}
          tickFormatter={(time: number) => nameOfTime.get(time) ?? ''}
          {...axis}
        />
      ) : (
        <XAxis dataKey="name" tickFormatter={(name: string) => shortened(name, MOST_OF_NAME)} {...axis} />
      )}
      <YAxis tickFormatter={shortNumber} width="auto" allowDecimals={!isWhole} {...axis} />
      <Tooltip
        itemSorter={() => 0}
        formatter={(value) => shortNumber(Number(value))}
        {...(hasTimes && { labelFormatter: (time) => nameOfTime.get(Number(time)) ?? '' })}
        {...box}
      />
      {isSplit && <Legend itemSorter={null} wrapperStyle={{ fontSize: 12 }} />}
    </>
  );
  return (
    <div className="chart-plot" role="img" aria-label={text('charts.chart', names)}>
      <ResponsiveContainer>
        {as === 'bars' ? (
          <BarChart data={rows} accessibilityLayer={false}>
            {common}
            {series.map(({ key, name, color }) => (
              <Bar key={key} dataKey={key} name={name} fill={color} isAnimationActive={false} />
            ))}
          </BarChart>
        ) : (
          <LineChart data={rows} accessibilityLayer={false}>
            {common}
            {series.map(({ key, name, color }) => (
              <Line key={key} dataKey={key} name={name} stroke={color} strokeWidth={2} isAnimationActive={false} />
            ))}
          </LineChart>
        )}
      </ResponsiveContainer>
    </div>
  );
}

/** Some of the times, as evenly spread as they are. */
function ticksOf(times: readonly number[]): number[] {
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  const least = (last - first) / MOST_TICKS;
  const ticks: number[] = [];
  for (const time of times) if (ticks.length === 0 || time - (ticks.at(-1) ?? 0) >= least) ticks.push(time);
  return ticks;
}

/** A gap, where there is no number. */
function plotted(value: string | number | null | undefined): number | null {
  const number = Number(value ?? Number.NaN);
  return Number.isFinite(number) ? number : null;
}
