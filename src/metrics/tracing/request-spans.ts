/**
 * The spans of a request: itself, its statements, functions and mails. They continue the trace of the client, which it
 * names in `traceparent`. They contain no values: of a statement the text without literals, of an error its code.
 */
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { requestId } from '../../http/request/request-id.js';
import type { HttpRequest } from '../../http/request/request.js';
import { routePath, type Route } from '../../http/route/route-path.js';
import type { RequestWatcher } from '../../http/server/request-lifecycle.js';
import { KindError } from '../../shared/errors.js';
import type { WorkObserver, WorkType } from '../../shared/observed-work.js';
import { findScope } from '../../tenancy/request-scope.js';
import { shownStatement } from './shown-statement.js';

const propagator = new W3CTraceContextPropagator();
const HEADERS = {
  get: (headers: HttpRequest['headers'], name: string) => headers[name],
  keys: (headers: HttpRequest['headers']) => Object.keys(headers),
};

export function requestSpans(tracer: Tracer): RequestWatcher {
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
