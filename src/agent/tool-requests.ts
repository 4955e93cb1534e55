/** Runs the requests that tools stand for, each by the command of its route, as those of the member of the key. */
import { Injectable } from '@nestjs/common';
import type { Answer } from '../http/answer/answer.js';
import { readJson } from '../http/body/json-pieces.js';
import { ParsedBody } from '../http/body/read-body.js';
import { InnerRoutes } from '../http/server/inner-routes.js';
import { isCommand, type Command } from '../run/command.js';
import { KeyedRuns } from '../run/keyed-run.js';
import { CallerResolver } from '../tenancy/caller.js';
import { bodyBytes } from '../tenancy/request-bodies.js';
import type { RequestScope } from '../tenancy/request-scope.js';

/** A request of the service. */
export interface ToolRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path and query below `/api/lib`. */
  readonly path: string;
  /** Bytes are the body of a request that is read as such. */
  readonly body?: unknown;
}

const PREFIX = '/api/lib';

@Injectable()
export class ToolRequests {
  constructor(
    private readonly routes: InnerRoutes,
    private readonly keyed: KeyedRuns,
    private readonly callers: CallerResolver,
  ) {}

  /** The content of what is answered. */
  async json(scope: RequestScope, request: ToolRequest, dry = false): Promise<unknown> {
    const { content } = await this.answer(scope, request, dry);
    return readJson(content, scope.project.schema);
  }

  /** @param dry does all of it, and undoes it @throws the refusal of the request */
  async answer(scope: RequestScope, { method, path, body }: ToolRequest, dry = false): Promise<Answer> {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    const { request, invoke } = this.routes.find({ method, url: PREFIX + path, headers });
    const command = await invoke?.(request);
    if (!isCommand(command)) throw new Error(`${method} ${path} is no command`);
    return this.callers.runAsNow(scope, (now) => {
      const work = this.keyed.runner.begin(now, withBody(command, body));
      if (!dry) return this.keyed.runner.run(work, (source) => bodyBytes(request, source));
      const dryRun = { dry, asksChanges: false };
      return this.keyed.run(request, work, { line: `${method} ${path}`, dryRun, key: undefined });
    });
  }
}

/** The command, with a body that is here already. */
function withBody(command: Command, body: unknown): Command {
  const received = Buffer.isBuffer(body) ? body : new ParsedBody(body);
  return {
    authorize: (opened) => {
      const plan = command.authorize(opened);
      return plan.body ? { ...plan, body: () => Promise.resolve(received) } : plan;
    },
  };
}
