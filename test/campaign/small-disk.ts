/** A small file system in memory, which can be filled to its last byte. */
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const BALLAST = 'ballast';
const PIECE = Buffer.alloc(64 * 1024);

export class SmallDisk {
  /** @param size as for `mount`, such as 320m */
  constructor(
    readonly folder: string,
    size: string,
  ) {
    mkdirSync(folder, { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=0755`, 'tmpfs', folder], { stdio: 'ignore' });
  }

  /** Fills it to the last byte. */
  fill(): void {
    const handle = openSync(join(this.folder, BALLAST), 'w');
    try {
      for (;;) writeSync(handle, PIECE);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      closeSync(handle);
    }
  }

  empty(): void {
    rmSync(join(this.folder, BALLAST), { force: true });
  }

  remove(): void {
    execFileSync('umount', [this.folder]);
  }
}

/** Why there can be none on this machine; undefined if there can. */
export function missingDisk(): string | undefined {
  const folder = `/tmp/kind-mount-${process.pid}`;
  try {
    new SmallDisk(folder, '1m').remove();
    return undefined;
  } catch {
    return 'it mounts a file system, which needs root on Linux';
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
