/**
 * Limits the requests of a project per second, where its settings say so. Each process lets its share of them through,
 * and up to a second's worth at once after a pause.
 */
import { Inject, Injectable } from '@nestjs/common';
import { type Config, CONFIG } from '../config/config.js';
import { retryLater } from '../shared/errors.js';
import { lruCache } from '../shared/maps.js';
import type { Project } from './project.js';

const MAX_PROJECTS = 10_000;

interface Allowance {
  /** Requests that may be made at once; a fraction of one grows to a whole one. */
  requests: number;
  /** When it was computed, in milliseconds. */
  at: number;
}

@Injectable()
export class RequestRates {
  readonly #allowances = lruCache<Allowance>(MAX_PROJECTS);
  /** The part of a project's requests that this process may let through. */
  readonly #share: number;

  constructor(@Inject(CONFIG) { workers }: Pick<Config, 'workers'>) {
    this.#share = 1 / workers;
  }

  /** Counts a request. @throws KindError 429 if the project has made too many */
  count({ id, settings }: Project, now = performance.now()): void {
    const { requestsPerSecond } = settings;
    if (!requestsPerSecond) return;
    const perSecond = requestsPerSecond * this.#share;
    const most = Math.max(1, perSecond);
    let allowance = this.#allowances.get(id);
    if (!allowance) this.#allowances.set(id, (allowance = { requests: most, at: now }));
    allowance.requests = Math.min(most, allowance.requests + ((now - allowance.at) / 1000) * perSecond);
    allowance.at = now;
    if (allowance.requests < 1) throw tooMany(requestsPerSecond, (1 - allowance.requests) / perSecond);
    allowance.requests -= 1;
  }
}

function tooMany(perSecond: number, seconds: number) {
  return retryLater(
    'project.limit',
    `This project may make ${perSecond} requests per second, and has made more`,
    Math.ceil(seconds),
  );
}
