/**
 * The numbers of a project in all workers: a worker asks, the primary passes the question on to each of them, and their
 * replies back.
 */
import type { Worker } from 'node:cluster';
import type { ProjectCounts, ProjectLoads } from '../metrics/project-loads.js';
import { retryLater } from '../shared/errors.js';

export interface LoadQuestion {
  readonly type: 'loads';
  /** Unique in the worker that asks. */
  readonly id: number;
  readonly project: string;
  /** The worker that asks, and the workers that are asked; set by the primary. */
  readonly by?: number;
  readonly of?: number;
}

export interface LoadReply {
  readonly type: 'own loads';
  readonly id: number;
  readonly by: number;
  readonly of: number;
  readonly counts: ProjectCounts;
}

/** Milliseconds after which workers that do not reply are left out. */
const PATIENCE = 2000;
/** Questions of a worker at once. */
const MOST_QUESTIONS = 100;

/** In the primary. @param workers those that serve */
export function passOn(message: LoadQuestion | LoadReply, from: Worker, workers: readonly Worker[]): void {
  const isReply = message.type === 'own loads';
  const to = isReply ? workers.filter(({ id }) => id === message.by) : workers;
  const passed = isReply ? message : { ...message, by: from.id, of: workers.length };
  // A worker that ends meanwhile does not reply.
  for (const worker of to) worker.send(passed, () => undefined);
}

interface Asked {
  readonly found: ProjectCounts[];
  readonly done: (counts: readonly ProjectCounts[]) => void;
}

/** In a worker. */
export class WorkerLoads {
  readonly #asked = new Map<number, Asked>();
  #last = 0;
  #own: ProjectLoads | undefined;

  constructor(private readonly send: (message: LoadQuestion | LoadReply) => void) {}

  join(own: ProjectLoads): void {
    this.#own = own;
    own.join((project) => this.#ask(project));
  }

  receive(message: LoadQuestion | LoadReply): void {
    if (message.type === 'loads') {
      const { id, project, by = 0, of = 1 } = message;
      const counts = this.#own?.own(project) ?? { since: Number.MAX_SAFE_INTEGER, minutes: [] };
      this.send({ type: 'own loads', id, by, of, counts });
      return;
    }
    const asked = this.#asked.get(message.id);
    asked?.found.push(message.counts);
    if (asked?.found.length === message.of) asked.done(asked.found);
  }

  /** @throws KindError 503 */
  async #ask(project: string): Promise<readonly ProjectCounts[]> {
    if (this.#asked.size >= MOST_QUESTIONS) throw retryLater('server.busy', 'Too many ask for these numbers');
    this.#last += 1;
    const id = this.#last;
    try {
      return await new Promise<readonly ProjectCounts[]>((done) => {
        const found: ProjectCounts[] = [];
        this.#asked.set(id, { found, done });
        setTimeout(() => done(found), PATIENCE).unref();
        this.send({ type: 'loads', id, project });
      });
    } finally {
      this.#asked.delete(id);
    }
  }
}
