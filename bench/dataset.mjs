/** The tables of one scale: kinds that the service makes, filled by SQL. */
import { Cities, INDEXES, PARAMETERS } from './cities.mjs';

/** Units in one body: the maximum of the service. */
export const BULK = 1000;
/** Cities in one statement that sends them to PostgreSQL. */
const CHUNK = 10_000;
/** The time in the UUIDs: this plus a millisecond for each row before, so that the order of ids is the order of rows. */
const FIRST_TIME = Date.UTC(2026, 0, 1);

const COLUMNS = 'name, alt_name, country, feature_code, admin_code, population, latitude, longitude';

const CREATE_SOURCE = `CREATE TEMP TABLE source (at integer PRIMARY KEY, name text, alt_name text, country text,
  feature_code text, admin_code text, population bigint, latitude double precision, longitude double precision)`;

const FILL_SOURCE = `INSERT INTO source SELECT i.* FROM json_populate_recordset(NULL::source, $1::json) AS i`;

/** One copy of all cities. $1: the number of the copy, $2: rows before it, $3: rows in all. */
const FILL_COPY = `INSERT INTO TABLE (id, ${COLUMNS}, metadata, inserted_at, updated_at)
  SELECT (lpad(to_hex(${FIRST_TIME} + n.row), 12, '0') || '7' || lpad(to_hex(n.row % 4096), 3, '0') || '8' ||
      lpad(to_hex(n.row), 15, '0'))::uuid,
    CASE WHEN $1::int = 0 THEN s.name ELSE s.name || ' ' || ($1::int + 1) END,
    s.alt_name, s.country, s.feature_code, s.admin_code, s.population, s.latitude, s.longitude, '{}', now(), now()
  FROM source AS s, LATERAL (SELECT $2::bigint + s.at AS row) AS n
  WHERE n.row < $3::bigint
  ORDER BY s.at`;

/**
 * Writes cities to a temporary table `source`, with their positions in the column `at`.
 * @param {import('pg').Client} client
 * @param {readonly import('./cities.mjs').City[]} cities
 */
export async function fillSource(client, cities) {
  await client.query(CREATE_SOURCE);
  for (let at = 0; at < cities.length; at += CHUNK) {
    const rows = cities.slice(at, at + CHUNK).map((city, offset) => ({ at: at + offset, ...city }));
    await client.query(FILL_SOURCE, [JSON.stringify(rows)]);
  }
}

export class Dataset {
  /**
   * @param {{ name: string, rows: number }} scale
   * @param {import('./postgres.mjs').Postgres} postgres
   * @param {string} schema
   * @param {boolean} indexesNames whether names have an index of trigrams, which W7 uses
   */
  constructor({ name, rows }, postgres, schema, indexesNames) {
    const suffix = name.replace(/\W/g, '_');
    this.scale = name;
    /** The kind that is read. */
    this.city = `city_${suffix}`;
    /** The kind that is written: a fresh copy of the first before each measurement. */
    this.place = `place_${suffix}`;
    /** The kind that is read by a rule: a copy of the first. */
    this.ruled = `ruled_${suffix}`;
    this.cities = new Cities(rows);
    this.postgres = postgres;
    this.client = postgres.client;
    this.schema = schema;
    /** The definitions of the parameters. */
    this.parameters = PARAMETERS.map((each) => (each.id === 'name' ? { ...each, indexed: indexesNames } : each));
  }

  /** The id of a city's unit. @param {number} index */
  idOf(index) {
    /** @param {number} value @param {number} digits */
    const hex = (value, digits) => value.toString(16).padStart(digits, '0');
    const digits = `${hex(FIRST_TIME + index, 12)}7${hex(index % 4096, 3)}8${hex(index, 15)}`;
    return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  }

  /**
   * Defines both kinds and writes the cities, unless a kept data folder has them; returns the seconds it took.
   * @param {import('./service.mjs').Service} service
   */
  async fill(service) {
    const started = performance.now();
    if (!(await this.#isFilled())) {
      for (const id of [this.city, this.place]) await this.#define(service, id);
      await this.#writeCities();
      await this.#maintain(this.city);
      await this.client.query('CHECKPOINT');
    }
    return (performance.now() - started) / 1000;
  }

  async #isFilled() {
    const table = this.#table(this.city);
    const { rows: exists } = await this.client.query('SELECT to_regclass($1) IS NOT NULL AS yes', [table]);
    if (!exists[0].yes) return false;
    const { rows } = await this.client.query(['SELECT count(*)::int AS count FROM', table].join(' '));
    if (rows[0].count === this.cities.length) return true;
    throw new Error(`${table} has ${rows[0].count} rows instead of ${this.cities.length}: delete the data folder`);
  }

  async #writeCities() {
    const { distinct, length } = this.cities;
    await fillSource(this.client, distinct);
    const fill = FILL_COPY.replace('TABLE', this.#table(this.city));
    for (let copy = 0; copy * distinct.length < length; copy += 1) {
      await this.client.query(fill, [copy, copy * distinct.length, length]);
    }
    await this.client.query('DROP TABLE source');
  }

  /**
   * Parameters belong to the project: the first kind defines them, the others use them.
   * @param {import('./service.mjs').Service} service
   * @param {string} id
   * @param {Record<string, string>} [access]
   */
  async #define(service, id, access) {
    const { count } = await service.call('GET', `/string/unit?filter=eq(id,${PARAMETERS[0]?.id})&limit=0`);
    const parameters = count > 0 ? this.parameters.map((parameter) => parameter.id) : this.parameters;
    await service.call('POST', '/kind/unit', {
      id,
      label: id,
      parameters,
      indexes: INDEXES,
      ...(access && { access }),
    });
  }

  /** @param {import('./service.mjs').Service} service @param {Record<string, string>} access */
  async makeRuled(service, access) {
    await this.#define(service, this.ruled, access);
    await this.#copyTo(this.ruled);
  }

  /** Makes the written kind a copy of the read one, or empty, so that every system starts with the same table. */
  async reset(empty = false) {
    await this.client.query(['TRUNCATE', this.#table(this.place)].join(' '));
    if (empty) await this.postgres.repairCount(this.schema, this.place);
    else await this.#copyTo(this.place);
    await this.client.query('CHECKPOINT');
  }

  /** @param {string} kind */
  async #copyTo(kind) {
    await this.client.query(['INSERT INTO', this.#table(kind), 'SELECT * FROM', this.#table(this.city)].join(' '));
    await this.#maintain(kind);
  }

  /** Does the work of autovacuum, and stores the number of units, which the service does only for its own writes. */
  async #maintain(/** @type {string} */ kind) {
    await this.client.query(['VACUUM ANALYZE', this.#table(kind)].join(' '));
    await this.postgres.repairCount(this.schema, kind);
  }

  /** @param {string} kind */
  #table(kind) {
    return `"${this.schema}"."${kind}"`;
  }
}
