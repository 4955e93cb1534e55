/** A disk without space: a small file system in memory that is filled up under load, and emptied again. */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Campaign, CampaignOptions, Figures } from './campaign.js';
import { disturbedRounds } from './rounds.js';
import { missingDisk, SmallDisk } from './small-disk.js';

async function run(options: CampaignOptions): Promise<Figures> {
  const data = new SmallDisk(join(options.folder, 'data'), '320m');
  try {
    return await disturbedRounds(options, {
      processes: 1,
      writers: 6,
      mayVanish: false,
      // Without segments of the write-ahead log in store, it soon has no space either.
      settings: { max_wal_size: '64MB', min_wal_size: '32MB', wal_recycle: 'off', wal_init_zero: 'on' },
      disturbances: {
        async full({ random }) {
          data.fill();
          await pause(random.from(200, 1500));
          data.empty();
        },
      },
    });
  } finally {
    data.remove();
  }
}

export const disk: Campaign = {
  about: 'a full disk under PostgreSQL (a small tmpfs; needs root)',
  rounds: 50,
  missing: missingDisk,
  run,
};
