/** Countries, and the cities as units with a reference to their country and a name that can be searched. */
import { fillSource } from './dataset.mjs';

export const NATION = 'nation';
export const TOWN = 'town';

const FILL_NATIONS = `INSERT INTO NATIONS ("id", "code", "metadata", "inserted_at", "updated_at")
  SELECT uuidv7(), country, '{}', now(), now() FROM (SELECT DISTINCT country FROM source ORDER BY country) AS s`;
const FILL_TOWNS = `INSERT INTO TOWNS ("id", "title", "inhabitants", "land", "metadata", "inserted_at", "updated_at")
  SELECT uuidv7(), s.name, s.population, n.id, '{}', now(), now()
  FROM source AS s JOIN NATIONS AS n ON n.code = s.country ORDER BY s.at`;

/**
 * Defines both kinds, and writes the cities with SQL.
 * @param {import('./service.mjs').Service} service
 * @param {import('./postgres.mjs').Postgres} postgres
 * @param {readonly import('./cities.mjs').City[]} cities
 */
export async function fillTowns(service, postgres, cities) {
  await service.call('POST', '/kind/unit', { id: NATION, parameters: [{ id: 'code', kind_id: 'string' }] });
  await service.call('POST', '/kind/unit', {
    id: TOWN,
    parameters: [
      { id: 'title', kind_id: 'string', search: 'simple' },
      { id: 'inhabitants', kind_id: 'integer' },
      { id: 'land', kind_id: 'unit', reference_kind: NATION },
    ],
    indexes: [['land', 'inhabitants']],
  });
  const schema = `project_${service.project}`;
  const named = (/** @type {string} */ text) =>
    text.replaceAll('NATIONS', `"${schema}"."${NATION}"`).replaceAll('TOWNS', `"${schema}"."${TOWN}"`);
  await fillSource(postgres.client, cities);
  for (const text of [FILL_NATIONS, FILL_TOWNS, 'DROP TABLE source', 'VACUUM ANALYZE NATIONS', 'VACUUM ANALYZE TOWNS'])
    await postgres.client.query(named(text));
  for (const kind of [NATION, TOWN]) await postgres.repairCount(schema, kind);
}
