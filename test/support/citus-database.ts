/** Databases of Citus beside the one of the run, with the same workers. */
import { Client } from 'pg';

interface Node {
  readonly host: string;
  readonly port: number;
  readonly coordinator: boolean;
}

function on(url: string, { host, port }: Pick<Node, 'host' | 'port'>, database?: string): string {
  const there = new URL(url);
  there.hostname = host;
  there.port = String(port);
  if (database !== undefined) there.pathname = `/${database}`;
  return there.href;
}

async function run<R extends object>(connectionString: string, ...texts: readonly string[]): Promise<R[]> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    let rows: R[] = [];
    for (const text of texts) ({ rows } = await client.query<R>(text));
    return rows;
  } finally {
    await client.end();
  }
}

/** The coordinator first. */
function nodes(url: string): Promise<Node[]> {
  return run(
    url,
    `SELECT nodename AS host, nodeport AS port, groupid = 0 AS coordinator FROM pg_dist_node ORDER BY groupid`,
  );
}

/**
 * Makes a database of Citus, as docs/citus.md says.
 * @param url of one that is there
 */
export async function makeCitusDatabase(url: string, name: string): Promise<void> {
  const all = await nodes(url);
  for (const node of all) {
    await run(on(url, node), `CREATE DATABASE ${name}`);
    await run(on(url, node, name), 'CREATE EXTENSION citus');
  }
  const steps = all.map(({ host, port, coordinator }) =>
    coordinator ? `SELECT citus_set_coordinator_host('${host}', ${port})` : `SELECT citus_add_node('${host}', ${port})`,
  );
  const [coordinator] = all;
  if (!coordinator) throw new Error('TEST_CITUS_URL: there is no coordinator in pg_dist_node');
  const sharding = `ALTER DATABASE ${name} SET citus.enable_schema_based_sharding = on`;
  await run(on(url, coordinator, name), ...steps, sharding, 'CREATE EXTENSION IF NOT EXISTS pg_trgm');
}

/** Drops what `makeCitusDatabase` made on the workers. */
export async function dropFromWorkers(url: string, name: string): Promise<void> {
  for (const node of await nodes(url)) {
    if (!node.coordinator) await run(on(url, node), `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  }
}
