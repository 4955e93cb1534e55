/** The values of a chart as a table, which everybody can read. */
import { Table } from '@mantine/core';
import { useText } from '../i18n/text.js';
import { fullValue, type GroupName } from './chart-names.js';
import type { ChartValues } from './chart-query.js';

export interface ChartParts {
  readonly values: ChartValues;
  /** What a row is called, and a series. */
  readonly by: GroupName;
  readonly split: GroupName;
  readonly isSplit: boolean;
  readonly names: { readonly measure: string; readonly by: string };
}

export function ChartTable({ values, by, split, isSplit, names }: ChartParts) {
  const text = useText();
  const series = isSplit ? values.series.map(split) : [names.measure];
  return (
    <div className="chart-table" role="region" aria-label={text('charts.table_of', names)} tabIndex={0}>
      <Table stickyHeader striped>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{names.by}</Table.Th>
            {series.map((name, at) => (
              <Table.Th key={at} scope="col" ta="right">
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {values.rows.map((row, at) => (
            <Table.Tr key={at}>
              <Table.Th scope="row" fw={400}>
                {by(row.by)}
              </Table.Th>
              {row.values.map((value, place) => (
                <Table.Td key={place} ta="right" className="chart-number">
                  {fullValue(value)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
