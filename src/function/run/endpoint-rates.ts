/**
 * Limits inbound calls in a minute: from one address to a project, and to a project. Anyone can make them, so they are
 * counted by the texts of their path before anything is looked up, in the memory of each process: it lets its share
 * through, as of the requests of a project per second.
 */
import { Inject, Injectable, type ExecutionContext } from '@nestjs/common';
import { type Config, CONFIG } from '../../config/config.js';
import { clientAddress } from '../../http/request/client-address.js';
import { requestOf } from '../../http/request/request.js';
import { PreparingInterceptor } from '../../http/server/preparing.interceptor.js';
import { type KindError, retryLater } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import { MinuteCounts } from '../../shared/minute-counts.js';

/** Longer texts are no projects. */
const LONGEST_PROJECT = 60;

@Injectable()
export class EndpointRates extends PreparingInterceptor {
  readonly #addresses: MinuteCounts;
  readonly #projects: MinuteCounts;

  constructor(@Inject(CONFIG) { workers }: Pick<Config, 'workers'>) {
    super();
    this.#addresses = new MinuteCounts(Math.ceil(LIMITS.endpointCallsPerAddress / workers), tooMany);
    this.#projects = new MinuteCounts(Math.ceil(LIMITS.endpointCalls / workers), tooMany);
  }

  /** Counts a call from its address, whatever it names. @throws KindError 429 */
  prepare(context: ExecutionContext): void {
    const request = requestOf(context);
    const project = String(request.params['project_id']).slice(0, LONGEST_PROJECT);
    this.countFrom(clientAddress(request), project);
  }

  /** @throws KindError 429 if the address has made too many to the project */
  countFrom(address: string, project: string, now = performance.now()): void {
    this.#addresses.count(JSON.stringify([address, project]), now);
  }

  /** Counts a call of an endpoint that is there. @throws KindError 429 if there were too many of the project */
  countOf(project: string, now = performance.now()): void {
    this.#projects.count(project, now);
  }
}

function tooMany(seconds: number): KindError {
  return retryLater('request.throttled', 'Too many calls in a minute; Retry-After says when to come back', seconds);
}
