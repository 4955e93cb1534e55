/** Connections that PostgreSQL ends, a pool that is full, and a server without a free connection. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Client as Connection } from 'pg';
import type { Campaign } from './campaign.js';
import type { Deployment } from './deployment.js';
import { disturbedRounds } from './rounds.js';
import { PROJECT } from './service-process.js';

const POOL = 3;
const MAX_CONNECTIONS = 30;

const END = `
  SELECT pg_terminate_backend(pid)
  FROM pg_stat_activity
  WHERE application_name LIKE 'kind%' AND usename = current_user AND datname = current_database() AND pid % $1 = 0
`;
const LOCK = ['LOCK TABLE', `"project_${PROJECT}"."item"`, 'IN ACCESS EXCLUSIVE MODE'].join(' ');

/** Ends connections of the service: all, or every second one. */
async function endConnections(deployment: Deployment, every: 1 | 2): Promise<void> {
  await withConnection(deployment, async (connection) => void (await connection.query(END, [every])));
}

/** Holds a table against everybody, so that requests wait with their connections. */
async function holdTable(deployment: Deployment, milliseconds: number): Promise<void> {
  await withConnection(deployment, async (connection) => {
    await connection.query('BEGIN');
    await connection.query(LOCK);
    await pause(milliseconds);
    await connection.query('COMMIT');
  });
}

/** Takes all connections that PostgreSQL has left, and those of the service. */
async function takeConnections(deployment: Deployment): Promise<void> {
  const taken: Connection[] = [];
  const takeAll = async (): Promise<void> => {
    for (;;) {
      const connection = await deployment.connect().catch(() => undefined);
      if (!connection) return;
      taken.push(connection);
    }
  };
  try {
    await takeAll();
    // Not over a new connection: there is none, and the service is as fast where one becomes free.
    await taken[0]?.query(END, [1]);
    await takeAll();
    await pause(500);
  } finally {
    await Promise.all(taken.map((connection) => connection.end()));
  }
}

async function withConnection(deployment: Deployment, work: (connection: Connection) => Promise<void>): Promise<void> {
  const connection = await deployment.connect();
  try {
    await work(connection);
  } finally {
    await connection.end();
  }
}

export const connections: Campaign = {
  about: 'connections that are ended, a full pool, and a PostgreSQL without a free connection',
  rounds: 100,
  run: (options) =>
    disturbedRounds(options, {
      processes: 1,
      writers: 8,
      mayVanish: false,
      env: { DATABASE_POOL: String(POOL) },
      settings: { max_connections: String(MAX_CONNECTIONS) },
      disturbances: {
        'all ended': ({ deployment }) => endConnections(deployment, 1),
        'pool full': ({ deployment }) => holdTable(deployment, 500),
        'none free': ({ deployment }) => takeConnections(deployment),
        'some ended': ({ deployment }) => endConnections(deployment, 2),
        'pool full for long': ({ deployment }) => holdTable(deployment, 7000),
      },
    }),
};
