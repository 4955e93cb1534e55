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
import { shortNumber } from './chart-names.js';
import type { ChartParts } from './chart-table.js';

interface PlotProps extends ChartParts {
  readonly as: 'bars' | 'lines';
}

const axis = { stroke: 'var(--chart-axis)', tick: { fill: 'var(--chart-axis)', fontSize: 12 } };
const box = {
  contentStyle: { background: 'var(--mantine-color-body)', border: '1px solid var(--mantine-color-default-border)' },
  isAnimationActive: false,
};

export function Plot({ as, values, by, split, isSplit, names }: PlotProps) {
  const text = useText();
  const rows = values.rows.map((row) => ({
    name: by(row.by),
    ...Object.fromEntries(row.values.map((value, at) => [`s${at}`, plotted(value)])),
  }));
  const series = values.series.map((value, at) => ({
    key: `s${at}`,
    name: isSplit ? split(value) : names.measure,
    color: `var(--chart-${at})`,
  }));
  const common = (
    <>
      <CartesianGrid stroke="var(--chart-grid)" vertical={false} />
      <XAxis dataKey="name" {...axis} />
      <YAxis tickFormatter={shortNumber} width="auto" {...axis} />
      <Tooltip formatter={(value) => shortNumber(Number(value))} {...box} />
      {isSplit && <Legend />}
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

/** A gap, where there is no number. */
function plotted(value: string | number | null | undefined): number | null {
  const number = Number(value ?? Number.NaN);
  return Number.isFinite(number) ? number : null;
}
