/**
 * A clock that jumps under the service (libfaketime), while that of PostgreSQL and the steady clock of the system go on,
 * as after a correction of the time on one of several hosts.
 */
import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { throwFaults, type Campaign, type CampaignOptions, type Figures } from './campaign.js';
import { shown } from './client.js';
import { Deployment } from './deployment.js';
import { ChangeFollowers } from './followers.js';
import { disturbedRounds, RECORDED } from './rounds.js';

const LIBRARY = 'faketime/libfaketime.so.1';
/** Hours; tokens of the load are valid for a day, idempotency keys too. */
const JUMPS = [-20, -2, -0.05, 0.05, 2, 20];

function library(): string | undefined {
  const folders = existsSync('/usr/lib') ? readdirSync('/usr/lib').map((each) => join('/usr/lib', each)) : [];
  return folders.map((folder) => join(folder, LIBRARY)).find((file) => existsSync(file));
}

/**
 * Tokens are dated by the database, so that all processes agree: a process whose clock is beyond their end refuses all,
 * and takes them again when its clock is right again.
 */
async function checkTokens(deployment: Deployment, jump: (hours: number) => void): Promise<void> {
  const client = deployment.client();
  const expectStatus = async (status: number, when: string): Promise<void> => {
    const answer = await client.send({ method: 'GET', path: '/auth/me' });
    if (answer.status !== status) throwFaults([`${when}: ${shown(answer)}`], 'a token');
  };
  await expectStatus(200, 'at once');
  jump(25);
  await expectStatus(401, '25 hours later');
  jump(-25);
  await expectStatus(200, '25 hours earlier');
  jump(0);
  await expectStatus(200, 'after the jump back');
}

async function run(options: CampaignOptions): Promise<Figures> {
  const file = join(options.folder, 'time');
  const jump = (hours: number): void => {
    writeFileSync(`${file}.new`, `${hours < 0 ? '-' : '+'}${Math.abs(hours) * 3600}s`);
    renameSync(`${file}.new`, file);
  };
  writeFileSync(file, '+0s');
  const env = {
    LD_PRELOAD: library() ?? '',
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    DONT_FAKE_MONOTONIC: '1',
  };
  const alone = await Deployment.start({ ...options, folder: join(options.folder, 'alone') }, { processes: 1, env });
  await checkTokens(alone, jump).finally(() => alone.stop());
  const followers = await ChangeFollowers.start(options.folder, Object.keys(RECORDED));
  try {
    return await disturbedRounds(options, {
      processes: 1,
      writers: 6,
      mayVanish: false,
      env: { ...env, ...followers.env },
      ...(options.short !== true && { followers }),
      disturbances: {
        jump: ({ random }) => Promise.resolve(jump(random.pick(JUMPS))),
        'jump to and fro': async ({ random }) => {
          jump(random.pick(JUMPS));
          await pause(random.from(20, 200));
          jump(0);
        },
      },
    });
  } finally {
    followers.stop();
  }
}

export const clock: Campaign = {
  about: 'a clock that jumps under the service (Debian package faketime)',
  rounds: 60,
  missing: () => (library() === undefined ? `there is no ${LIBRARY} (apt-get install faketime)` : undefined),
  run,
};
