/** HTTP scenarios as tables. Whatever a row asks for, every answer is held to what all answers have in common. */
import { expect, it } from 'vitest';
import { ERRORS, type ErrorCode } from '../../src/shared/errors.js';
import { LEAK } from './leaks.js';
import type { Reply, TestProject } from './service.js';
import { send, type WireRequest } from './wire.js';

export interface Expected {
  readonly status: number | readonly number[];
  /** The codes of all messages, in order. */
  readonly code?: ErrorCode | readonly ErrorCode[];
  /** Parts of the text of the first message. */
  readonly text?: string | RegExp;
  readonly parameter?: string;
  /** Matched against `content`. */
  readonly content?: unknown;
  readonly headers?: Readonly<Record<string, string | RegExp | null>>;
  /** What the body must not have. */
  readonly notBody?: RegExp;
  readonly statements?: number;
}

export interface Scenario<Caller extends string = string> {
  readonly name: string;
  /** Method and path below `/api/lib`; a path that begins with `^` is one from the root. */
  readonly request: string;
  /** A string or bytes are sent as they are, all else as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly as?: Caller;
  readonly expect: Expected;
}

export function expectWellFormed(reply: Reply): void {
  expect(reply.headers.get('x-request-id')).toMatch(/^[\w.-]{1,64}$/);
  if (reply.status === 304 || reply.status === 204 || reply.body === undefined) return;
  expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(Object.keys(reply.body)).toEqual(['content', 'messages']);
  const { content, messages } = reply.body;
  if (reply.status === 200) return void expect(messages).toEqual([]);
  expect(content).toBeNull();
  expect(messages.length).toBeGreaterThan(0);
  expect(reply.text).not.toMatch(LEAK);
  for (const message of messages) {
    expect(Object.keys(ERRORS)).toContain(message.code);
    expect(message.text).not.toBe('');
  }
  expect(reply.status).toBe(Math.min(...messages.map(({ code }) => ERRORS[code as ErrorCode].status)));
}

export function wireRequest(
  project: TestProject,
  { request, body, headers = {} }: Pick<Scenario, 'request' | 'body' | 'headers'>,
): WireRequest {
  const [, method = 'GET', target = ''] = /^(\S+) (.*)$/s.exec(request) ?? [];
  const bytes = body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const all = {
    'kind-project-key': project.id,
    ...(project.token !== undefined && { authorization: `Bearer ${project.token}` }),
    ...(bytes !== undefined && { 'content-type': 'application/json' }),
    ...headers,
  };
  const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  return {
    method,
    path: target.startsWith('^') ? target.slice(1) : `/api/lib${target}`,
    headers: sent,
    ...(bytes !== undefined && { body: bytes }),
  };
}

export async function play(project: TestProject, scenario: Scenario): Promise<Reply> {
  let reply: Reply | undefined;
  const work = async () => (reply = await send(project.service, wireRequest(project, scenario), project.document));
  const statements = await project.statements(work);
  const { expect: expected } = scenario;
  if (!reply) throw new Error('no reply');
  const shown = `${scenario.request.slice(0, 200)} → ${reply.status} ${reply.text.slice(0, 600)}`;
  if (typeof expected.status === 'number') expect(reply.status, shown).toBe(expected.status);
  else expect(expected.status, shown).toContain(reply.status);
  expectWellFormed(reply);
  const messages = reply.body?.messages ?? [];
  if (expected.code !== undefined)
    expect(
      messages.map(({ code }) => code),
      shown,
    ).toEqual([expected.code].flat());
  if (typeof expected.text === 'string') expect(messages[0]?.text).toContain(expected.text);
  else if (expected.text) expect(messages[0]?.text).toMatch(expected.text);
  if (expected.parameter !== undefined) expect(messages[0]?.parameter).toBe(expected.parameter);
  if (expected.content === null) expect(reply.body.content).toBeNull();
  else if (expected.content !== undefined) expect(reply.body.content).toMatchObject(expected.content);
  for (const [name, value] of Object.entries(expected.headers ?? {})) {
    if (value === null) expect(reply.headers.get(name)).toBeNull();
    else if (typeof value === 'string') expect(reply.headers.get(name)).toBe(value);
    else expect(reply.headers.get(name)).toMatch(value);
  }
  if (expected.notBody) expect(reply.text).not.toMatch(expected.notBody);
  if (expected.statements !== undefined) expect(statements, 'statements').toBe(expected.statements);
  return reply;
}

/** One test per row. `callers` are the projects as who `as` names; the first one where a row names none. */
export function scenarios<Caller extends string>(
  callers: Readonly<Record<Caller, TestProject>>,
  rows: readonly (Scenario<NoInfer<Caller>> | Scenario<never>)[],
): void {
  const [first] = Object.keys(callers) as Caller[];
  it.each(rows.map((row) => [row.name, row] as const))('%s', async (_, row) => {
    const as = row.as ?? first;
    if (as === undefined) throw new Error('no caller');
    await play(callers[as], row);
  });
}
