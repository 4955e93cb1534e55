/** The memory of the backends of a database, if PostgreSQL runs on this Linux machine. */
import { readFileSync } from 'node:fs';
import type { SideConnection } from './side-connection.js';

/** The most megabytes of its own that a backend had, without shared memory; undefined if that is unknown. */
function peakOf(pid: number): number | undefined {
  let status: string;
  try {
    status = readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return undefined;
  }
  const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? NaN);
  const peak = (kilobytes('VmHWM') - kilobytes('RssShmem')) / 1024;
  return /^Name:\s+postgres/.test(status) && Number.isFinite(peak) ? peak : undefined;
}

export interface Measured<T> {
  readonly result: T;
  /** Of the backend that had most; undefined if that is unknown. */
  readonly peak: number | undefined;
}

/** Looks at the backends of the side connection's database again and again, until `work` is done. */
export async function peakDuring<T>(side: SideConnection, work: () => Promise<T>): Promise<Measured<T>> {
  const peaks = new Map<number, number>();
  let over = false;
  const running = work().finally(() => (over = true));
  do {
    const rows = await side.rows<{ pid: number }>(
      'SELECT pid FROM pg_stat_activity WHERE datname = current_database()',
    );
    for (const { pid } of rows) {
      const peak = peakOf(pid);
      if (peak !== undefined) peaks.set(pid, Math.max(peak, peaks.get(pid) ?? 0));
    }
  } while (!over);
  return { result: await running, peak: peaks.size > 0 ? Math.max(...peaks.values()) : undefined };
}
