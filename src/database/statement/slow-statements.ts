/**
 * Limits how many slow statements of a project run at the same time, while other projects are active: processors of
 * PostgreSQL stay free for them. Only for statements that run alone, because those of a transaction may hold locks for
 * which others wait. docs/adr/0016-machineries.md has what it is worth.
 */
import { availableParallelism } from 'node:os';
import { activeProjects, type ActiveKeys } from '../../shared/active-keys.js';
import { retryLater } from '../../shared/errors.js';
import { FairQueue, fractionOf } from '../../shared/fair-queue.js';
import { getOrInsert, textCache } from '../../shared/maps.js';

/** Statements whose costs are known: their number, and the characters of their texts. */
const KNOWN = { texts: 2000, characters: 10_000_000 };
/** Milliseconds for which a project counts as active after its last request: a running statement cannot be called back. */
const RECENTLY = 1000;
/** Milliseconds after which a statement does not count any more: it may wait for a lock, and the next one must not. */
const COUNTED = 1000;
/** The part of the connections for slow statements of one project, if that is more than its share of the processors. */
const SHARE = 0.1;

/** Milliseconds from which a statement is slow. */
const SLOW = 3;
/** Milliseconds that one run counts at most: it may have waited for a lock. */
const MOST = 100;
/** The weight of all runs before, relative to a new one. */
const EARLIER_RUNS = 7;

/** Sends a statement, and measures what it takes. */
export type Measure = <T>(send: () => Promise<T>) => Promise<T>;

/** How many run at the same time. @param processes that share the processors */
export function slowStatementsAtOnce(connections: number, processes: number): number {
  return Math.max(fractionOf(connections, SHARE), Math.floor((availableParallelism() - 1) / processes));
}

export class SlowStatements {
  readonly #costs = textCache<StatementCost>(KNOWN.texts, KNOWN.characters);
  /** By the schema of the project. */
  readonly queue: FairQueue;

  /** @param atOnce of one project */
  constructor(
    atOnce: number,
    private readonly active: Pick<ActiveKeys, 'hasOthers'> = activeProjects,
  ) {
    this.queue = new FairQueue({
      perKey: atOnce,
      refusal: () => retryLater('server.busy', 'Too many slow statements of this project are under way'),
    });
  }

  /**
   * Runs a statement; if it is slow, and other projects are active, when it is its turn.
   * @param run sends it on a connection, and has its cost measured from then on
   */
  run<T>(schema: string, text: string, run: (measure: Measure) => Promise<T>): Promise<T> {
    if (!this.active.hasOthers(schema, RECENTLY)) return run(unmeasured);
    const cost = getOrInsert<string, StatementCost>(this.#costs, text, () => new StatementCost());
    const measure: Measure = (send) => measured(cost, send);
    return cost.isSlow ? this.#inTurn(schema, () => run(measure)) : run(measure);
  }

  async #inTurn<T>(schema: string, send: () => Promise<T>): Promise<T> {
    const release = once(await this.queue.acquire(schema));
    const timer = setTimeout(release, COUNTED);
    try {
      return await send();
    } finally {
      clearTimeout(timer);
      release();
    }
  }
}

const unmeasured: Measure = (send) => send();

/** Callbacks instead of `async`, because each promise has a cost. */
function measured<T>(cost: StatementCost, send: () => Promise<T>): Promise<T> {
  cost.begin();
  const sent = send();
  const end = (): void => cost.end();
  sent.then(end, end);
  return sent;
}

function once(work: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    work();
  };
}

/**
 * What a statement costs PostgreSQL, estimated from its last runs: the time during which it ran, divided by the number of
 * runs that ended meanwhile. So runs at the same time share the time that they slow each other down.
 */
class StatementCost {
  #running = 0;
  /** The begin of the first of the present runs, or the end of the last run. */
  #since = 0;
  #mean = 0;

  get isSlow(): boolean {
    return this.#mean > SLOW;
  }

  begin(): void {
    if (this.#running === 0) this.#since = performance.now();
    this.#running += 1;
  }

  end(): void {
    const now = performance.now();
    this.#running -= 1;
    this.#mean = (this.#mean * EARLIER_RUNS + Math.min(now - this.#since, MOST)) / (EARLIER_RUNS + 1);
    this.#since = now;
  }
}
