/** PostgreSQL is restarted under load: the service stays, refuses for a moment, and recovers by itself. */
import type { Campaign } from './campaign.js';
import type { Deployment } from './deployment.js';
import { disturbedRounds } from './rounds.js';

/** As `pg_ctl stop -m fast` and `-m immediate`. The campaign's own server is started again by who owns it. */
async function stopPostgres(deployment: Deployment, signal: 'SIGINT' | 'SIGQUIT'): Promise<void> {
  const pid = await deployment.postmaster();
  process.kill(pid, signal);
  await deployment.untilReplaced(pid);
}

export const restart: Campaign = {
  about: 'restarts of PostgreSQL (fast, immediate) under load',
  rounds: 50,
  run: (options) =>
    disturbedRounds(options, {
      processes: 1,
      writers: 6,
      mayVanish: false,
      disturbances: {
        fast: ({ deployment }) => stopPostgres(deployment, 'SIGINT'),
        immediate: ({ deployment }) => stopPostgres(deployment, 'SIGQUIT'),
      },
    }),
};
