import { expect, it } from 'vitest';
import { serverSettings } from '../../../src/database/embedded/settings.js';

it.each([
  [{ databasePool: 10, workers: 1 }, '100'],
  [{ databasePool: 10, workers: 16 }, '222'],
  [{ databasePool: 1, workers: 256 }, '798'],
])(
  'of %j every process finds room for its pool, its listener and the connection that builds indexes',
  async (config, connections) => {
    expect(await serverSettings(config, {})).toMatchObject({ max_connections: connections });
  },
);

it.runIf(process.platform === 'linux')('a start after a crash does not open the files of all projects', async () => {
  const settings = await serverSettings({ databasePool: 10, workers: 1 }, {});
  expect(settings).toMatchObject({ recovery_init_sync_method: 'syncfs' });
});
