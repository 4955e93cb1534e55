/**
 * The header Server-Timing: how long a request took so far, and how much of that its statements and functions took. It
 * tells times more exactly than a network shows them, so answers of sign-in and recovery never have it.
 */
import type { HttpResponse } from '../http/request/request.js';
import type { RequestWatcher } from '../http/server/request-lifecycle.js';
import type { WorkObserver, WorkType } from '../shared/observed-work.js';
import { knowsWholeProject } from '../tenancy/caller.js';
import { findScope } from '../tenancy/request-scope.js';

/** Who gets the header. */
type TimingAudience = 'administrators' | 'on';

const AUTHENTICATION = /^\/api\/lib\/auth\//;

export function serverTiming(audience: TimingAudience): RequestWatcher {
  return (request, response) => {
    if (AUTHENTICATION.test(request.path)) return undefined;
    const times = new RequestTimes();
    const writeHead = response.writeHead.bind(response) as (...args: unknown[]) => HttpResponse;
    // Whatever writes an answer calls this, also if it sets no headers itself.
    response.writeHead = (...args: unknown[]): HttpResponse => {
      const caller = findScope(request)?.caller;
      const mayKnow = audience === 'on' || (caller !== undefined && knowsWholeProject(caller));
      if (mayKnow && !response.headersSent) response.setHeader('Server-Timing', times.header());
      return writeHead(...args);
    };
    return times.observer();
  };
}

class RequestTimes {
  readonly #started = performance.now();
  readonly #milliseconds: Record<WorkType, number> = { statement: 0, function: 0, mail: 0 };
  #statements = 0;

  /** @param withinFunction whether the time of functions is that of an outer one */
  observer(withinFunction = false): WorkObserver {
    return {
      begin: (type) => {
        const started = performance.now();
        const inside = type === 'function' ? this.observer(true) : this.observer(withinFunction);
        if (type === 'statement') this.#statements += 1;
        const end = (): void => {
          if (type !== 'function' || !withinFunction) this.#milliseconds[type] += performance.now() - started;
        };
        return { inside, end };
      },
    };
  }

  /** Statements that run at the same time count each. */
  header(): string {
    const { statement, function: ofFunctions } = this.#milliseconds;
    const total = performance.now() - this.#started;
    const number = `${this.#statements} ${this.#statements === 1 ? 'statement' : 'statements'}`;
    const parts = [`total;dur=${shown(total)}`, `db;dur=${shown(statement)};desc="${number}"`];
    return [...parts, ...(ofFunctions > 0 ? [`function;dur=${shown(ofFunctions)}`] : [])].join(', ');
  }
}

function shown(milliseconds: number): string {
  return milliseconds.toFixed(1);
}
