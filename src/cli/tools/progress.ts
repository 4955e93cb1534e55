/** The progress of a long command on a terminal: a bar, the rate, and an estimate of the time that is left. */
import { SingleBar } from 'cli-progress';

export interface Progress {
  /** @param done in the unit of the total @param units processed so far */
  update(done: number, units: number): void;
  stop(): void;
}

const NO_PROGRESS: Progress = { update: () => undefined, stop: () => undefined };
/** Values from which the estimate is made. */
const ETA_BUFFER = 50;

/**
 * On standard error, so that it is in no output; nothing where that is no terminal.
 * @param total undefined: not known @param what the plural of what is processed
 */
export function startProgress(label: string, total: number | undefined, what = 'units'): Progress {
  const stream = process.stderr;
  if (!stream.isTTY) return NO_PROGRESS;
  const rest = total === undefined ? '' : '{bar} {percentage} % · ';
  const left = total === undefined ? '' : ' · {eta_formatted} left';
  const bar = new SingleBar({
    format: `  ${label} ${rest}{units} ${what} · {rate} a second${left}`,
    stream,
    hideCursor: true,
    clearOnComplete: true,
    etaBuffer: ETA_BUFFER,
  });
  const started = performance.now();
  bar.start(total ?? 0, 0, { units: '0', rate: '0' });
  return {
    update(done, units) {
      const rate = Math.round(units / Math.max(0.001, (performance.now() - started) / 1000));
      bar.update(done, { units: units.toLocaleString('en'), rate: rate.toLocaleString('en') });
    },
    stop: () => bar.stop(),
  };
}

/** The progress of a command with several steps: one bar after the other. */
export class ProgressBars implements Progress {
  #current: Progress = NO_PROGRESS;

  start(label: string, total: number): void {
    this.stop();
    this.#current = startProgress(label, total);
  }

  /** Starts a step with its first update. */
  next(label: string, total: number): Progress['update'] {
    let started = false;
    return (done, units) => {
      if (!started) this.start(label, total);
      started = true;
      this.update(done, units);
    };
  }

  update(done: number, units: number): void {
    this.#current.update(done, units);
  }

  stop(): void {
    this.#current.stop();
    this.#current = NO_PROGRESS;
  }
}
