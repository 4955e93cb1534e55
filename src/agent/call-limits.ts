/** Limits of the calls of agents, by key and by project. In memory, and so for each process its share of them. */
import { Inject, Injectable } from '@nestjs/common';
import { type Config, CONFIG } from '../config/config.js';
import { type KindError, refusal, retryLater } from '../shared/errors.js';
import { FairQueue } from '../shared/fair-queue.js';
import { LIMITS } from '../shared/limits.js';
import { MinuteCounts } from '../shared/minute-counts.js';

@Injectable()
export class CallLimits {
  readonly #perKey: MinuteCounts;
  readonly #perProject: MinuteCounts;
  readonly #running: FairQueue;

  constructor(@Inject(CONFIG) { workers }: Pick<Config, 'workers'>) {
    this.#perKey = new MinuteCounts(Math.ceil(LIMITS.agentCallsPerMinute / workers), tooMany('This key has'));
    this.#perProject = new MinuteCounts(
      Math.ceil(LIMITS.agentCallsOfProject / workers),
      tooMany('The agents of this project have'),
    );
    this.#running = new FairQueue({
      perKey: LIMITS.agentCallsAtOnce,
      maxWaitingPerKey: LIMITS.agentCallsPerMinute,
      timeout: LIMITS.agentSeconds * 1000,
      refusal: () => retryLater('server.busy', `${LIMITS.agentCallsAtOnce} calls of this key run already`),
    });
  }

  /** Runs a call. @throws KindError 429 beyond the limits of a minute; 503 after waiting, or running, too long */
  run<T>(projectId: string, keyId: string, work: () => Promise<T>): Promise<T> {
    this.#perKey.count(keyId);
    this.#perProject.count(projectId);
    return new Promise((resolve, reject) => {
      const begin = async (): Promise<void> => {
        const end = setTimeout(() => reject(tookTooLong()), LIMITS.agentSeconds * 1000);
        // It has its place among those that run until it has ended, whenever it is answered.
        await work().then(resolve, reject);
        clearTimeout(end);
      };
      this.#running.run(keyId, begin).catch(reject);
    });
  }
}

function tookTooLong(): KindError {
  const text = `The call took longer than ${LIMITS.agentSeconds} seconds: ask for less at once, and look whether a write was stored`;
  return refusal('query.timeout', text);
}

function tooMany(who: string): (seconds: number) => KindError {
  return (seconds) => retryLater('key.throttled', `${who} called too often within a minute`, seconds);
}
