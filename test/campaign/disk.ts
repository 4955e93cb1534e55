/** A disk without space: a small file system in memory that is filled up under load, and emptied again. */
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Campaign, CampaignOptions, Figures } from './campaign.js';
import { disturbedRounds } from './rounds.js';

const SIZE = '320m';
const BALLAST = 'ballast';
const PIECE = Buffer.alloc(64 * 1024);

/** Fills the disk to the last byte. */
function fill(file: string): void {
  const handle = openSync(file, 'w');
  try {
    for (;;) writeSync(handle, PIECE);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    closeSync(handle);
  }
}

async function run(options: CampaignOptions): Promise<Figures> {
  const data = join(options.folder, 'data');
  mkdirSync(data);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE},mode=0755`, 'tmpfs', data]);
  try {
    return await disturbedRounds(options, {
      processes: 1,
      writers: 6,
      mayVanish: false,
      // Without segments of the write-ahead log in store, it soon has no space either.
      settings: { max_wal_size: '64MB', min_wal_size: '32MB', wal_recycle: 'off', wal_init_zero: 'on' },
      disturbances: {
        async full({ random }) {
          fill(join(data, BALLAST));
          await pause(random.from(200, 1500));
          rmSync(join(data, BALLAST));
        },
      },
    });
  } finally {
    execFileSync('umount', [data]);
  }
}

/** Mounts and unmounts one. */
function missing(): string | undefined {
  const folder = `/tmp/kind-mount-${process.pid}`;
  try {
    mkdirSync(folder);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'ignore' });
    execFileSync('umount', [folder]);
    return undefined;
  } catch {
    return 'it mounts a file system, which needs root on Linux';
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export const disk: Campaign = {
  about: 'a full disk under PostgreSQL (a small tmpfs; needs root)',
  rounds: 50,
  missing,
  run,
};
