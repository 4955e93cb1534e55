/** The tables of one scale: kinds that the service makes, filled with cities through its REST API. */
import { INDEXES, PARAMETERS, takeCities } from './cities.mjs';

/** Units in one body: the maximum of the service. */
export const BULK = 1000;
const PARALLEL = 4;

export class Dataset {
  /**
   * @param {{ name: string, rows: number }} scale
   * @param {import('pg').Client} client
   * @param {string} schema
   */
  constructor({ name, rows }, client, schema) {
    const suffix = name.replace(/\W/g, '_');
    this.scale = name;
    /** The kind that is read. */
    this.city = `city_${suffix}`;
    /** The kind that is written: a fresh copy of the first before each measurement. */
    this.place = `place_${suffix}`;
    /** The kind that is read by a rule: a copy of the first. */
    this.ruled = `ruled_${suffix}`;
    this.cities = takeCities(rows);
    /** The ids of the cities' units, in the same order. @type {string[]} */
    this.ids = [];
    this.client = client;
    this.schema = schema;
  }

  /** Defines both kinds and imports the cities; returns rows per second. @param {import('./service.mjs').Service} service */
  async fill(service) {
    for (const id of [this.city, this.place]) await this.#define(service, id);
    const started = performance.now();
    const starts = Array.from({ length: Math.ceil(this.cities.length / BULK) }, (_, at) => at * BULK);
    const worker = async () => {
      for (let at = starts.shift(); at !== undefined; at = starts.shift()) {
        const { items } = await service.call('POST', `/${this.city}/unit`, this.cities.slice(at, at + BULK));
        for (const [offset, { id }] of items.entries()) this.ids[at + offset] = id;
      }
    };
    await Promise.all(Array.from({ length: PARALLEL }, worker));
    const seconds = (performance.now() - started) / 1000;
    await this.#maintain(this.city);
    return this.cities.length / seconds;
  }

  /**
   * Parameters belong to the project: the first kind defines them, the others use them.
   * @param {import('./service.mjs').Service} service
   * @param {string} id
   * @param {Record<string, string>} [access]
   */
  async #define(service, id, access) {
    const { count } = await service.call('GET', `/string/unit?filter=eq(id,${PARAMETERS[0]?.id})&limit=0`);
    const parameters = count > 0 ? PARAMETERS.map((parameter) => parameter.id) : PARAMETERS;
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
    if (!empty) await this.#copyTo(this.place);
    await this.client.query('CHECKPOINT');
  }

  /** @param {string} kind */
  async #copyTo(kind) {
    await this.client.query(['INSERT INTO', this.#table(kind), 'SELECT * FROM', this.#table(this.city)].join(' '));
    await this.#maintain(kind);
  }

  /** Does the work of autovacuum. @param {string} kind */
  async #maintain(kind) {
    await this.client.query(['VACUUM ANALYZE', this.#table(kind)].join(' '));
  }

  /** @param {string} kind */
  #table(kind) {
    return `"${this.schema}"."${kind}"`;
  }
}
