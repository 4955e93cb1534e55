/** Circles on the outlines of the countries, larger for larger values. */
import { Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { geoEqualEarth, geoPath } from 'd3-geo';
import type { FeatureCollection, MultiPoint } from 'geojson';
import { feature } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import { useText } from '../i18n/text.js';
import { PageError, Waiting } from '../shell/page-states.js';
import { fullValue } from './chart-names.js';
import type { Place } from './chart-query.js';

const WIDTH = 960;
const HEIGHT = 500;
const MARGIN = 40;
const RADIUS = { least: 3, most: 22 };
/** Degrees that the map shows at least: its outlines are too coarse for less. */
const LEAST_SPAN = 12;

interface ChartMapProps {
  readonly places: readonly Place[];
  readonly measure: string;
}

export function ChartMap(props: ChartMapProps) {
  const text = useText();
  return (
    <>
      <MapPicture {...props} />
      <details>
        <summary>{text('charts.table')}</summary>
        <PlaceTable {...props} />
      </details>
    </>
  );
}

/** The same as text. */
function PlaceTable({ places, measure }: ChartMapProps) {
  const text = useText();
  const label = text('charts.table_of', { measure, by: text('charts.by_place') });
  return (
    <div className="chart-table" role="region" aria-label={label} tabIndex={0}>
      <Table stickyHeader striped>
        <Table.Thead>
          <Table.Tr>
            {[text('charts.latitude'), text('charts.longitude'), measure].map((name) => (
              <Table.Th key={name} scope="col" ta="right">
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {places.map(({ latitude, longitude, value }) => (
            <Table.Tr key={`${latitude} ${longitude}`}>
              {[latitude, longitude, value].map((number, at) => (
                <Table.Td key={at} ta="right" className="chart-number">
                  {fullValue(number)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

function MapPicture({ places, measure }: ChartMapProps) {
  const text = useText();
  const { data: countries, error } = useQuery({
    queryKey: ['countries'],
    queryFn: loadCountries,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error) return <PageError error={error} />;
  if (!countries) return <Waiting />;
  const projection = geoEqualEarth().fitExtent(
    [
      [MARGIN, MARGIN],
      [WIDTH - MARGIN, HEIGHT - MARGIN],
    ],
    cornersOf(places),
  );
  const path = geoPath(projection);
  const largest = Math.max(...places.map(sizeOf), 0);
  return (
    <svg
      className="chart-map"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={text('charts.on_map', { measure })}
    >
      {countries.features.map((country, at) => (
        <path key={at} d={path(country) ?? ''} />
      ))}
      {places.map((place) => {
        const { latitude, longitude, value } = place;
        const [x = 0, y = 0] = projection([longitude, latitude]) ?? [];
        const part = largest === 0 ? 0 : Math.sqrt(sizeOf(place) / largest);
        return (
          <circle key={`${latitude} ${longitude}`} cx={x} cy={y} r={RADIUS.least + part * (RADIUS.most - RADIUS.least)}>
            <title>{text('charts.place', { latitude, longitude, value: fullValue(value) })}</title>
          </circle>
        );
      })}
    </svg>
  );
}

async function loadCountries(): Promise<FeatureCollection> {
  const { default: world } = await import('world-atlas/countries-110m.json');
  const topology = world as unknown as Topology<{ countries: GeometryCollection }>;
  return feature(topology, topology.objects.countries);
}

function sizeOf({ value }: Place): number {
  const size = Math.abs(Number(value ?? 0));
  return Number.isFinite(size) ? size : 0;
}

/** The corners of what is shown, and its ends where it is widest: nearest to the equator. */
function cornersOf(places: readonly Place[]): MultiPoint {
  const [south, north] = spanOf(
    places.map(({ latitude }) => latitude),
    90,
  );
  const [west, east] = spanOf(
    places.map(({ longitude }) => longitude),
    180,
  );
  const widest = Math.min(Math.max(0, south), north);
  return {
    type: 'MultiPoint',
    coordinates: [south, north, widest].flatMap((latitude) => [
      [west, latitude],
      [east, latitude],
    ]),
  };
}

function spanOf(values: readonly number[], end: number): [number, number] {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const more = Math.max(0, LEAST_SPAN - (most - least)) / 2;
  return [Math.max(-end, least - more), Math.min(end, most + more)];
}
