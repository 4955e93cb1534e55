/** SIGTERM under load: every request that was taken is answered, and nothing is stored without an answer. */
import type { Campaign } from './campaign.js';
import { disturbedRounds } from './rounds.js';

export const stop: Campaign = {
  about: 'SIGTERM under load, and a start afterwards',
  rounds: 100,
  run: (options) =>
    disturbedRounds(options, {
      processes: 1,
      writers: 8,
      mayVanish: true,
      disturbances: {
        async stop({ deployment: { service }, load }) {
          const code = await service.end('SIGTERM');
          if (code !== 0) load.faults.push(`the service ended with ${code}`);
          await service.start();
        },
      },
      // A connection that was idle may be closed at the moment of the next request, which is then not carried out.
      afterwards: ({ unknownStored }) =>
        unknownStored > 0 ? [`${unknownStored} writes stored without an answer`] : [],
    }),
};
