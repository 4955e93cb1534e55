/** SIGTERM under load: every request that reaches the service is answered, and nothing is stored without an answer. */
import { type Campaign, type CampaignOptions, type Figures } from './campaign.js';
import { disturbedRounds } from './rounds.js';

/** @param workers processes that share the port */
async function stopRounds(options: CampaignOptions, workers: number): Promise<Figures> {
  return disturbedRounds(options, {
    processes: 1,
    env: { WORKERS: String(workers), SHUTDOWN_IDLE: '5s' },
    keepAlive: true,
    writers: 8,
    // New connections are refused.
    mayVanish: true,
    disturbances: {
      async stop({ deployment: { service }, load }) {
        const code = await service.end('SIGTERM');
        if (code !== 0) load.faults.push(`the service ended with ${code}`);
        await service.start();
      },
    },
    afterwards: ({ unknownStored }, { lost }) =>
      unknownStored > 0 ? [...lost, `${unknownStored} writes stored without an answer`] : lost,
  });
}

export const stop: Campaign = {
  about: 'SIGTERM under load, and a start afterwards',
  rounds: 100,
  run: (options) => stopRounds(options, 1),
};

export const stopWorkers: Campaign = {
  about: 'the same with two processes that share the port',
  rounds: 50,
  run: (options) => stopRounds(options, 2),
};
