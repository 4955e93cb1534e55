/**
 * Functions for the cities of `npm run demo`, which creates the project 'atlas'. For another project, copy this file to
 * `functions/<project>/`; a file `functions/city.ts` would serve every project that has a kind 'city'.
 */
import { filter, kind, type AnyUnit, type Units } from 'kind';

const city = kind('city');

/** Search radii in kilometres, from a town to half the circumference of the earth. */
const REACHES = [10, 40, 160, 640, 2560, 20_040];
const EARTH = 6371;
const KM_PER_DEGREE = 111.2;

interface Place {
  readonly latitude: number;
  readonly longitude: number;
}

const nearest = city.function({
  description: 'The cities nearest to a point, with their distances in kilometres',
  parameters: {
    latitude: { type: 'float', required: true, min_value: -90, max_value: 90, helper_text: 'Degrees north' },
    longitude: { type: 'float', required: true, min_value: -180, max_value: 180, helper_text: 'Degrees east' },
    population: { type: 'integer', default: 0, min_value: 0, helper_text: 'Inhabitants at least' },
    limit: { type: 'integer', default: 5, min_value: 1, max_value: 50 },
  },
  methods: ['GET'],
  async run({ units, parameters: { limit, population, ...point } }) {
    for (const reach of REACHES) {
      const found = (await citiesIn(units('city'), boxAround(point, reach), population))
        .map((each) => ({ ...each, distance: Math.round(distance(point, each) * 10) / 10 }))
        .filter((each) => each.distance <= reach)
        .sort((a, b) => a.distance - b.distance);
      if (found.length >= limit || reach === REACHES.at(-1)) return found.slice(0, limit);
    }
    return [];
  },
});

/** A filter for a box around all points within `reach` kilometres; at a pole or the date line it has all longitudes. */
function boxAround({ latitude, longitude }: Place, reach: number): string {
  const high = reach / KM_PER_DEGREE;
  const north = filter`gte(latitude,${latitude - high}),lte(latitude,${latitude + high})`;
  const furthest = Math.max(Math.abs(latitude - high), Math.abs(latitude + high));
  const wide = furthest >= 89 ? 180 : high / Math.cos((furthest * Math.PI) / 180);
  const [west, east] = [longitude - wide, longitude + wide];
  return west < -180 || east > 180 ? north : `${north},${filter`gte(longitude,${west}),lte(longitude,${east})`}`;
}

/** All cities of a box, page by page. */
async function citiesIn(cities: Units<AnyUnit, unknown>, box: string, population: number) {
  const found: (Place & { readonly id: string; readonly name: string })[] = [];
  for (;;) {
    const { items } = await cities.list({
      filter: `and(${box},${filter`gte(population,${population})`})`,
      include: ['id', 'name', 'country', 'population', 'latitude', 'longitude'],
      offset: found.length,
      limit: 1000,
      count: 'none',
    });
    found.push(...(items as unknown as typeof found));
    if (items.length < 1000) return found;
  }
}

/** Distance in kilometres along the surface, by the haversine formula. */
function distance(a: Place, b: Place): number {
  const [from, to] = [radians(a.latitude), radians(b.latitude)];
  const half =
    Math.sin((to - from) / 2) ** 2 +
    Math.cos(from) * Math.cos(to) * Math.sin(radians(b.longitude - a.longitude) / 2) ** 2;
  return 2 * EARTH * Math.asin(Math.min(1, Math.sqrt(half)));
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}

export default city.module({ functions: { nearest } });
