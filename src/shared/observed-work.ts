/**
 * The work that a request consists of, for those who measure it: the header Server-Timing, and traces. Statements,
 * functions and mails tell when they begin and end. If nobody observes requests, that costs one comparison.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

export type WorkType = 'statement' | 'function' | 'mail';

type EndOfWork = (error?: unknown) => void;

interface BegunWork {
  /** Observes the work that this work consists of. */
  readonly inside: WorkObserver;
  readonly end: EndOfWork;
}

export interface WorkObserver {
  /** @param name of a statement its text, of a function its file and name, of a mail its type */
  begin(type: WorkType, name: string): BegunWork;
}

const observers = new AsyncLocalStorage<WorkObserver>();
let isUsed = false;

function currentObserver(): WorkObserver | undefined {
  return isUsed ? observers.getStore() : undefined;
}

/** Runs the work of a request, of which the observer is told. */
export function observe<T>(observer: WorkObserver, run: () => T): T {
  isUsed = true;
  return observers.run(observer, run);
}

/** Tells the observer of the request. The returned function is called at the end of the work; undefined without one. */
export function beginWork(type: WorkType, name: string): EndOfWork | undefined {
  return currentObserver()?.begin(type, name).end;
}

/** Tells the observer of the request of the work, and of the work inside it. */
export function observedWork<T>(type: WorkType, name: string, run: () => Promise<T>): Promise<T> {
  const begun = currentObserver()?.begin(type, name);
  return begun ? endsWith(observers.run(begun.inside, run), begun.end) : run();
}

async function endsWith<T>(work: Promise<T>, end: EndOfWork): Promise<T> {
  try {
    const result = await work;
    end();
    return result;
  } catch (error) {
    end(error);
    throw error;
  }
}

/** The same function, as work of the present request, whenever it is called. */
export function inPresentRequest<T>(run: () => T): () => T {
  const observer = currentObserver();
  return observer ? () => observers.run(observer, run) : run;
}

/** Tells several observers. */
export function allOf(each: readonly WorkObserver[]): WorkObserver {
  const [first, ...others] = each;
  if (first && others.length === 0) return first;
  return {
    begin(type, name) {
      const begun = each.map((observer) => observer.begin(type, name));
      return {
        inside: allOf(begun.map(({ inside }) => inside)),
        end: (error) => begun.forEach(({ end }) => end(error)),
      };
    },
  };
}
