/** Traces of requests. The libraries of OpenTelemetry are loaded only if the settings ask for traces. */
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { type Config, CONFIG } from '../../config/config.js';
import { LOGGER } from '../../http/log/logger.js';
import type { RequestWatcher } from '../../http/server/request-lifecycle.js';
import type { TraceSender } from './otlp.js';

@Injectable()
export class Traces implements OnApplicationShutdown {
  #sender: TraceSender | undefined;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Returns who watches requests, if traces are sent. Not called for commands, which have no requests. */
  async start(): Promise<RequestWatcher[]> {
    const { traces } = this.config;
    if (traces === undefined) return [];
    const { startTraces } = await import('./otlp.js');
    this.#sender = startTraces(traces, this.logger);
    return [this.#sender.watch];
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#sender?.stop();
  }
}
