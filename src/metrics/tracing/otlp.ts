/**
 * Sends traces over OTLP/HTTP. Address, headers, sampling, resource and queue are read by the libraries from the
 * standard variables (`OTEL_…`). Loaded only if traces are sent.
 */
import {
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import { type ExportResult, ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { TraceProtocol } from '../../config/config.js';
import { RELEASE } from '../../config/release.js';
import { requestId } from '../../http/request/request-id.js';
import type { HttpRequest } from '../../http/request/request.js';
import { type Route, routePath } from '../../http/route/route-path.js';
import type { RequestWatcher } from '../../http/server/request-lifecycle.js';
import { KindError } from '../../shared/errors.js';
import { EventThrottle } from '../../shared/event-throttle.js';
import type { WorkObserver, WorkType } from '../../shared/observed-work.js';
import { findScope } from '../../tenancy/request-scope.js';
import { shownStatement } from './shown-statement.js';

/** Milliseconds that a stop waits for the last traces. */
const STOP_TIMEOUT = 3000;
/** Milliseconds between two lines about a receiver that does not answer. */
const WARNING_INTERVAL = 60_000;

export interface TraceSender {
  readonly watch: RequestWatcher;
  /** Sends what has not been sent. */
  stop(): Promise<void>;
}

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

const propagator = new W3CTraceContextPropagator();
const HEADERS = {
  get: (headers: HttpRequest['headers'], name: string) => headers[name],
  keys: (headers: HttpRequest['headers']) => Object.keys(headers),
};

function requestSpans(tracer: Tracer): RequestWatcher {
  return (request, response) => {
    const parent = propagator.extract(ROOT_CONTEXT, request.headers, HEADERS);
    const attributes = { 'http.request.method': request.method, 'kind.request_id': requestId(request) };
    const span = tracer.startSpan(request.method, { kind: SpanKind.SERVER, attributes }, parent);
    response.once('close', () => {
      const route = routePath(request.route as Route | undefined);
      const project = findScope(request)?.project.id;
      if (route !== undefined) span.updateName(`${request.method} ${route}`).setAttribute('http.route', route);
      if (project !== undefined) span.setAttribute('kind.project', project);
      if (response.headersSent) span.setAttribute('http.response.status_code', response.statusCode);
      if (response.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      if (!response.writableFinished) span.setAttribute('error.type', 'disconnected');
      span.end();
    });
    return span.isRecording() ? observerIn(tracer, trace.setSpan(parent, span)) : undefined;
  };
}

function observerIn(tracer: Tracer, context: Context): WorkObserver {
  return {
    begin(type, name) {
      const { label, ...options } = SPANS[type](name);
      const span = tracer.startSpan(label, options, context);
      return {
        inside: type === 'statement' ? observerIn(tracer, context) : observerIn(tracer, trace.setSpan(context, span)),
        end: (error) => endSpan(span, error),
      };
    },
  };
}

const SPANS: Record<WorkType, (name: string) => { label: string; kind: SpanKind; attributes: Record<string, string> }> =
  {
    statement: (text) => {
      const { operation, text: shown } = shownStatement(text);
      const attributes = { 'db.system.name': 'postgresql', 'db.operation.name': operation, 'db.query.text': shown };
      return { label: operation, kind: SpanKind.CLIENT, attributes };
    },
    function: (name) => ({ label: name, kind: SpanKind.INTERNAL, attributes: { 'code.function.name': name } }),
    mail: (type) => ({ label: `mail ${type}`, kind: SpanKind.INTERNAL, attributes: { 'kind.mail': type } }),
  };

/** Messages of errors are left out, because they may contain values. */
function endSpan(span: Span, error: unknown): void {
  if (error !== undefined && error !== null) {
    span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', codeOf(error));
  }
  span.end();
}

/** Of an error of the service its code, of one of PostgreSQL its SQLSTATE. */
function codeOf(error: unknown): string {
  if (error instanceof KindError) return error.code;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[\w.]{1,64}$/.test(code) ? code : 'error';
}
