/** What every answer has to be, whatever was asked. */
import type { AnswerCheck } from '../../support/answers.js';
import { exchange } from '../../support/exchange.js';
import { LEAK } from '../../support/leaks.js';
import type { FuzzRequest } from './grammar.js';

export interface FuzzAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: unknown;
}

/** @throws where there is no answer */
export function ask(url: string, { method, path, headers, body }: FuzzRequest): Promise<FuzzAnswer> {
  return exchange(url, { method, path, headers, body });
}

/** Undefined for a right one. */
export function answerFault(request: FuzzRequest, answer: FuzzAnswer, check: AnswerCheck): string | undefined {
  const { status, text, headers, body } = answer;
  if (status >= 500 && status !== 503) return `status ${status}`;
  if (status === 503 && !headers.has('retry-after')) return 'a 503 without Retry-After';
  if (status >= 400 && LEAK.test(text)) return 'it shows what is inside the service';
  if (status >= 400 && text !== '' && !isEnvelope(body)) return 'no envelope';
  const type = headers.get('content-type');
  // Of a body whose unit is there and ignored, only the values of `by` are read.
  const sent = isIgnored(answer) ? undefined : request.body;
  return check.fault({ method: request.method, path: request.path, status, type, body, text, sent });
}

function isIgnored({ headers, body }: FuzzAnswer): boolean {
  const { results } = ((body as { content?: unknown } | undefined)?.content ?? {}) as { results?: unknown };
  return headers.get('kind-result') === 'ignored' || (Array.isArray(results) && results.includes('ignored'));
}

function isEnvelope(body: unknown): boolean {
  const { content, messages } = (body ?? {}) as { content?: unknown; messages?: unknown };
  return content === null && Array.isArray(messages) && messages.length > 0;
}

export function written({ method, path, headers, body }: FuzzRequest, name: string): string {
  const { authorization, ...others } = headers;
  const signed = authorization === undefined ? '' : ' (signed in)';
  return `${name}${signed}: ${method} ${path} ${JSON.stringify(others)} ${(body ?? '').slice(0, 800)}`;
}
