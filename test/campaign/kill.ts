/** `kill -9` of the service, of its embedded PostgreSQL, of one of its backends and of both, during writes. */
import { readdirSync, readFileSync } from 'node:fs';
import type { Campaign, CampaignOptions, Figures } from './campaign.js';
import type { Deployment } from './deployment.js';
import { ChangeFollowers } from './followers.js';
import { disturbedRounds, RECORDED } from './rounds.js';

async function killPostgres(deployment: Deployment): Promise<void> {
  process.kill(await deployment.postmaster(), 'SIGKILL');
}

/** After it, PostgreSQL ends all sessions and recovers. */
async function killBackend(deployment: Deployment): Promise<void> {
  const postmaster = await deployment.postmaster();
  const children = readdirSync('/proc').filter((pid) => isBackend(pid, postmaster));
  const killed = children[Math.floor(children.length / 2)];
  if (killed === undefined) throw new Error('no backend of PostgreSQL was found');
  process.kill(Number(killed), 'SIGKILL');
}

function isBackend(pid: string, postmaster: number): boolean {
  if (!/^\d+$/.test(pid)) return false;
  try {
    const parent = /^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(parent) === postmaster && /^postgres: kind_owner /.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
  } catch {
    return false;
  }
}

async function run(options: CampaignOptions): Promise<Figures> {
  const followers = await ChangeFollowers.start(options.folder, Object.keys(RECORDED));
  try {
    return await disturbedRounds(options, {
      writers: 6,
      mayVanish: true,
      env: followers.env,
      // A process that was killed keeps their work for half a minute.
      ...(options.short !== true && { followers }),
      disturbances: {
        async service({ deployment: { service } }) {
          await service.end('SIGKILL');
          await service.start();
        },
        postgres: ({ deployment }) => killPostgres(deployment),
        async both({ deployment }) {
          await killPostgres(deployment);
          await deployment.service.end('SIGKILL');
          await deployment.service.start();
        },
        backend: ({ deployment }) => killBackend(deployment),
      },
    });
  } finally {
    followers.stop();
  }
}

export const kill: Campaign = {
  about: 'kill -9 of the service, of PostgreSQL, of one of its backends and of both, during writes of every form',
  rounds: 500,
  missing: () => (process.platform === 'linux' ? undefined : 'it needs /proc, to find the processes of PostgreSQL'),
  run,
};
