import { expect, it } from 'vitest';
import { serverSettings } from '../../../packages/embedded-postgres/settings.js';
import { maxConnections } from '../../../src/database/open-database.js';

it.each([
  [{ databasePool: 10, workers: 1 }, 100],
  [{ databasePool: 10, workers: 16 }, 222],
  [{ databasePool: 1, workers: 256 }, 798],
])(
  'of %j every process finds room for its pool, its listener and the connection that builds indexes',
  (config, connections) => {
    expect(maxConnections(config)).toBe(connections);
  },
);

it('those of the service are passed on', async () => {
  expect(await serverSettings({ max_connections: '222' })).toMatchObject({ max_connections: '222', jit: 'off' });
});

it.runIf(process.platform === 'linux')('a start after a crash does not open the files of all projects', async () => {
  expect(await serverSettings()).toMatchObject({ recovery_init_sync_method: 'syncfs' });
});
