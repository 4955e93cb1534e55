/**
 * Sends traces over OTLP/HTTP. Address, headers, sampling, resource and queue are read by the libraries from the
 * standard variables (`OTEL_…`). Loaded only if traces are sent.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { ExportResult } from '@opentelemetry/core';
import { ExportResultCode } from '@opentelemetry/core';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import type { Logger } from 'pino';
import type { TraceProtocol } from '../../config/config.js';
import { RELEASE } from '../../config/release.js';
import { EventThrottle } from '../../shared/event-throttle.js';
import { requestSpans } from './request-spans.js';
import type { TraceSender } from './trace-sender.js';

/** Milliseconds that a stop waits for the last traces. */
const STOP_TIMEOUT = 3000;
/** Milliseconds between two lines about a receiver that does not answer. */
const WARNING_INTERVAL = 60_000;

export function startTraces({ protocol }: { protocol: TraceProtocol }, logger: Logger): TraceSender {
  const sender = protocol === 'http/json' ? new JsonExporter() : new ProtobufExporter();
  const exporter = new ReportingExporter(sender, logger);
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'kind', 'service.version': RELEASE }))
    .merge(detectResources({ detectors: [envDetector] }));
  const provider = new BasicTracerProvider({
    resource,
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  return {
    watch: requestSpans(provider.getTracer('kind', RELEASE)),
    stop: () => exporter.reportLast(() => provider.shutdown()),
  };
}

/** Logs that traces could not be sent, which the library does not. */
class ReportingExporter implements SpanExporter {
  readonly #throttle = new EventThrottle(WARNING_INTERVAL);
  #stopping = false;
  /** Since the stop. */
  #lastFailure: Error | undefined;

  constructor(
    private readonly exporter: SpanExporter,
    private readonly logger: Logger,
  ) {}

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.exporter.export(spans, (result) => {
      if (result.code === ExportResultCode.FAILED) this.#report(result.error);
      done(result);
    });
  }

  shutdown(): Promise<void> {
    return this.exporter.shutdown();
  }

  /** Waits for the last traces; one line says that they could not be sent. */
  async reportLast(send: () => Promise<void>): Promise<void> {
    this.#stopping = true;
    const inTime = delay(STOP_TIMEOUT, new Error(`not sent within ${STOP_TIMEOUT / 1000} seconds`), { ref: false });
    const failure = await Promise.race([send().catch((error: unknown) => error as Error), inTime]);
    const reason = (failure ?? this.#lastFailure)?.message;
    if (reason !== undefined) this.logger.warn({ reason }, 'the last traces could not be sent');
  }

  #report(error: Error | undefined): void {
    if (this.#stopping) {
      this.#lastFailure = error;
      return;
    }
    const count = this.#throttle.pass('failed');
    if (count !== undefined) this.logger.warn({ count, reason: error?.message }, 'traces could not be sent');
  }
}
