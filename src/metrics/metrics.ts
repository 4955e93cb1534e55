/**
 * Metrics for Prometheus: process, requests, queues, caches and connections; over all processes if several share a port.
 * The busiest projects are named only where metrics have an address of their own, which is not public.
 */
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { type Config, CONFIG } from '../config/config.js';
import type { Route } from '../http/route/route-path.js';
import type { RequestObserver } from '../http/server/request-lifecycle.js';
import { type MetricSource, MetricSources } from '../shared/metric-sources.js';
import { findScope } from '../tenancy/request-scope.js';
import { PROJECT_METRICS, ProjectLoads } from './project-loads.js';
import { RequestCounts } from './request-counts.js';
import { registerSampled } from './sampled-metric.js';
import { type ProcessMetrics, unansweredWorkers } from './workers-metrics.js';

/** The text format of Prometheus. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

@Injectable()
export class Metrics implements OnApplicationBootstrap {
  readonly #registry = new Registry();
  readonly #registries = [metricsOfProcess(), this.#registry];
  readonly #requests = new RequestCounts();
  readonly #projects: BusiestProjects | undefined;
  #ofAll = (): Promise<string> => this.#ofProcess().metrics();

  constructor(
    private readonly metricSources: MetricSources,
    private readonly loads: ProjectLoads,
    @Inject(CONFIG) { metrics }: Config,
  ) {
    this.#projects = metrics && new BusiestProjects();
  }

  /** All parts of the service have added their metricSources. */
  onApplicationBootstrap(): void {
    registerSampled(this.#registry, this.#requests.answered);
    registerSampled(this.#registry, this.#requests.durations);
    for (const [name, ofName] of byName(this.metricSources.all)) {
      const { help, type, ofAll } = ofName[0];
      const samples = () => ofName.map(({ labels, read }) => ({ labels, value: read() }));
      registerSampled(this.#registry, { name, help, type, samples, ofAll });
    }
    registerSampled(this.#registry, unansweredWorkers(0));
    if (this.#projects) this.#registerProjects(this.#projects);
  }

  /** Counts and times every request. */
  readonly observe: RequestObserver = (request, status, milliseconds) => {
    this.#requests.observe(request.route as Route | undefined, request.method, status, milliseconds);
    const project = findScope(request)?.project;
    // Who looks at the numbers does not change them.
    if (!project || request.path === PROJECT_METRICS) return;
    this.loads.observe(project.id, status, milliseconds);
    this.#projects?.observe(project.id, milliseconds);
  };

  #registerProjects(projects: BusiestProjects): void {
    const ofEach = (value: 'requests' | 'seconds') => () =>
      projects.busiest().map((load) => ({ labels: { project: load.project }, value: load[value] }));
    registerSampled(this.#registry, {
      name: 'kind_project_requests',
      help: 'Requests of the ten busiest projects of a process in the last whole minute.',
      type: 'gauge',
      samples: ofEach('requests'),
    });
    registerSampled(this.#registry, {
      name: 'kind_project_request_seconds',
      help: 'The time that these requests took together.',
      type: 'gauge',
      samples: ofEach('seconds'),
    });
  }

  /** The metrics of this process, or of all processes that share the port. */
  text(): Promise<string> {
    return this.#ofAll();
  }

  /** The values of this process. */
  values(): Promise<ProcessMetrics> {
    return this.#ofProcess().getMetricsAsJSON();
  }

  /** Makes this process one of several: the primary asks for its values, and `ofAll` returns those of all. */
  join(ofAll: () => Promise<string>): void {
    this.#ofAll = ofAll;
  }

  #ofProcess(): Registry {
    return Registry.merge(this.#registries);
  }
}

function byName(metricSources: readonly MetricSource[]): Map<string, [MetricSource, ...MetricSource[]]> {
  const found = new Map<string, [MetricSource, ...MetricSource[]]>();
  for (const measurement of metricSources) {
    const others = found.get(measurement.name);
    if (others) others.push(measurement);
    else found.set(measurement.name, [measurement]);
  }
  return found;
}

let ofProcess: Registry | undefined;

/** Memory, event loop, and others of Node. They are measured once per process, because the measuring can't be stopped. */
function metricsOfProcess(): Registry {
  if (ofProcess) return ofProcess;
  ofProcess = new Registry();
  collectDefaultMetrics({ register: ofProcess });
  // Of the delays of several processes the longest tells that one is busy, which an average hides.
  for (const metric of ofProcess.getMetricsAsArray()) {
    if (metric.aggregator === 'average') metric.aggregator = 'max';
  }
  return ofProcess;
}

/** Projects in the metrics. */
const SHOWN = 10;
/** Projects that are counted at once. */
const COUNTED = 10_000;
const WINDOW_MS = 60_000;

interface ProjectLoad {
  readonly project: string;
  /** Requests in the last whole minute. */
  readonly requests: number;
  /** Seconds that they took together. */
  readonly seconds: number;
}

interface Counts {
  requests: number;
  milliseconds: number;
}

/** Which projects are requested most: counts of the last minutes, of some projects only. */
export class BusiestProjects {
  #current = new Map<string, Counts>();
  #last: ReadonlyMap<string, Counts> = new Map();
  #begin: number;

  /** @param now milliseconds */
  constructor(private readonly now: () => number = () => performance.now()) {
    this.#begin = now();
  }

  observe(project: string, milliseconds: number): void {
    this.#turn();
    const counts = this.#current.get(project);
    if (counts) {
      counts.requests += 1;
      counts.milliseconds += milliseconds;
    } else if (this.#current.size < COUNTED) this.#current.set(project, { requests: 1, milliseconds });
  }

  /** The projects with the most requests, the busiest first. */
  busiest(): ProjectLoad[] {
    this.#turn();
    return [...this.#last]
      .sort(([, a], [, b]) => b.requests - a.requests)
      .slice(0, SHOWN)
      .map(([project, { requests, milliseconds }]) => ({ project, requests, seconds: milliseconds / 1000 }));
  }

  /** Begins a new minute if the current one is over. */
  #turn(): void {
    const passed = this.now() - this.#begin;
    if (passed < WINDOW_MS) return;
    this.#last = passed < 2 * WINDOW_MS ? this.#current : new Map<string, Counts>();
    this.#current = new Map();
    this.#begin += Math.floor(passed / WINDOW_MS) * WINDOW_MS;
  }
}
