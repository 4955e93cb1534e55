/** Lists the tools of a key, and runs them: each by the requests that it stands for. */
import { Injectable, Logger } from '@nestjs/common';
import type { CallToolResult, Tool as ListedTool } from '@modelcontextprotocol/server';
import { isAllowedForSomeUnit } from '../access/access.js';
import { isModelAllowedToAgent } from '../access/key-scope.js';
import { mayDescribe } from '../access/reference-access.js';
import { Catalog } from '../catalog/catalog.service.js';
import { refusalOf, StoredRefusal } from '../http/server/error.responder.js';
import type { HttpRequest } from '../http/request/request.js';
import type { KindDef, Model } from '../model/model.js';
import { causeText } from '../database/statement/sqlstate.js';
import { KindError, refusal } from '../shared/errors.js';
import { isPlainObject } from '../shared/json.js';
import { LIMITS } from '../shared/limits.js';
import { didYouMean, shortened } from '../shared/texts.js';
import { agentOf, CALLER_LASTS, CallerResolver } from '../tenancy/caller.js';
import type { RequestScope } from '../tenancy/request-scope.js';
import { type AgentFunction, AgentFunctions } from './agent-functions.js';
import { CallLimits } from './call-limits.js';
import { CallLog } from './call-log.js';
import { describedKinds, rightsOf, withFieldRights } from './described-kinds.js';
import { readFile } from './read-file.js';
import { type Arguments, inputSchema, offsetOf, PAGE, readArguments } from './tool-arguments.js';
import { ToolRequests, type ToolRequest } from './tool-requests.js';
import { answeredData, answeredWrite, pageOf, refusedCall, shortData } from './tool-result.js';
import { CALL_FUNCTION, DESCRIBE, functionRead, GET_UNITS, READ_FILE, type Tool, TOOLS } from './tools.js';

/** What is recorded of a call. */
interface Told {
  kind: string | null;
  number: number | null;
}

/** A call that may be done. */
interface Call {
  readonly scope: RequestScope;
  readonly model: Model;
  readonly tool: Tool;
  readonly writes: boolean;
  readonly given: Arguments;
  readonly kind: KindDef;
  readonly requests: readonly [ToolRequest, ...ToolRequest[]];
  readonly told: Told;
}

const OUTPUT_SCHEMA = {
  type: 'object' as const,
  properties: { data: {}, messages: { type: 'array' }, example: {} },
};

@Injectable()
export class ToolCalls {
  readonly #logger = new Logger('agents');

  constructor(
    private readonly catalog: Catalog,
    private readonly requests: ToolRequests,
    private readonly callers: CallerResolver,
    private readonly limits: CallLimits,
    private readonly log: CallLog,
    private readonly functions: AgentFunctions,
  ) {}

  /** The tools that the key may use for some kind. */
  async list(scope: RequestScope): Promise<ListedTool[]> {
    const model = await this.#model(scope);
    const usable = TOOLS.filter((tool) => this.#isUsable(tool, model, scope));
    return usable.map((tool) => ({
      name: tool.name,
      description: tool.description,
      inputSchema: inputSchema(tool),
      outputSchema: OUTPUT_SCHEMA,
      annotations: annotationsOf(tool),
    }));
  }

  /** The result of a call, also of a refused one; undefined if the key has no such tool. */
  async call(scope: RequestScope, name: string, given: object): Promise<CallToolResult | undefined> {
    const tool = TOOLS.find((each) => each.name === name);
    if (!tool || !this.#isUsable(tool, await this.#model(scope), scope)) return undefined;
    const { project, caller } = scope;
    const key = caller.type === 'member' ? (caller.key?.id ?? '') : '';
    const told: Told = { kind: null, number: null };
    let outcome = 'done';
    try {
      const began = performance.now();
      return await this.limits.run(project.id, key, async () => {
        if (performance.now() - began > CALLER_LASTS) await this.callers.checkStays(project, caller);
        return this.#result(scope, tool, readArguments({ ...given }, tool), told);
      });
    } catch (error) {
      const refused = refusalOf(error, ANY_REQUEST);
      outcome = refused instanceof StoredRefusal ? 'refused' : refused.code;
      return refusedCall(refused, tool);
    } finally {
      const record = this.log.record(project, { key, tool: tool.name, ...told, outcome });
      // What is done is answered all the same.
      await record.catch((error: unknown) => this.#logger.error(`A call could not be recorded: ${causeText(error)}`));
    }
  }

  #model(scope: RequestScope): Promise<Model> {
    return this.catalog.withCheckedModel(scope, (model) => model);
  }

  async #result(scope: RequestScope, tool: Tool, given: Arguments, told: Told): Promise<CallToolResult> {
    const model = await this.#model(scope);
    const answeredOf = (writes: boolean) => (writes && given.dry_run !== true ? answeredWrite : answeredData);
    if (tool.ofModel) return answeredOf(tool.writes !== undefined)(await this.#ofModel(scope, tool, given));
    const kindId = tool.kind ?? given.kind;
    if (kindId === undefined) {
      const { search, limit = PAGE.default, cursor } = given;
      return answeredData(describedKinds(model, scope.caller, { search, limit, offset: offsetOf(cursor) }));
    }
    const kind = usableKind(kindId, this.#usableKinds(tool, model, scope));
    told.kind = kindId;
    const [request, ...others] = tool.requests({ ...given, kind: kindId });
    if (!request) throw new Error(`${tool.name} is no request`);
    if (tool.name === READ_FILE) return readFile(await this.requests.answer(scope, request), given);
    const found = tool.name === CALL_FUNCTION ? this.#functionOf(kind, model, scope, given) : undefined;
    const writes = found ? !found.reads : tool.writes !== undefined;
    const [first, ...more] = found?.reads ? [functionRead(request, found)] : [request, ...others];
    return answeredOf(writes)(
      await this.#data({ scope, model, tool, writes, given, kind, requests: [first, ...more], told }),
    );
  }

  async #ofModel(scope: RequestScope, tool: Tool, given: Arguments): Promise<unknown> {
    const [request] = tool.requests({ ...given, kind: '' });
    if (!request) throw new Error(`${tool.name} is no request`);
    return shortData(await this.requests.json(scope, request));
  }

  #data(call: Call): Promise<unknown> {
    switch (call.tool.name) {
      case DESCRIBE:
        return this.#describe(call);
      case GET_UNITS:
        return this.#units(call);
      default:
        return call.writes ? this.#write(call, call.requests[0]) : this.#read(call);
    }
  }

  async #describe({ scope, model, kind, requests, given, told }: Call): Promise<unknown> {
    const { caller } = scope;
    const { search, limit = PAGE.default, cursor } = given;
    if (search !== undefined) {
      throw refusal('query.conflict', 'search: finds kinds, and is not taken with kind', { parameter: 'search' });
    }
    const { id, label } = kind;
    const about = {
      id,
      label,
      rights: rightsOf(kind, model, caller),
      functions: this.#functionsOf(kind, model, scope),
    };
    if (!mayDescribe(kind, caller, model)) return shortData(about);
    const struct = (await this.requests.json(scope, requests[0])) as { count: number; items: { id: string }[] };
    told.number = struct.items.length;
    const next = offsetOf(cursor) + limit;
    const fields = { count: struct.count, fields: withFieldRights(struct.items, kind, model, caller) };
    return shortData({ ...about, ...fields, ...(next < struct.count && { next: String(next) }) });
  }

  async #read({ scope, requests, told }: Call): Promise<unknown> {
    const answer = await this.requests.json(scope, requests[0]);
    told.number = numberOf(answer);
    return shortData(answer);
  }

  /** Units by id; which of them are not there is told beside them. */
  async #units({ scope, requests, given, told }: Call): Promise<unknown> {
    const { ids = [], include = [], from } = given;
    const items: Record<string, unknown>[] = [];
    const missing: string[] = [];
    for (const [at, request] of requests.entries()) {
      try {
        items.push((await this.requests.json(scope, request)) as Record<string, unknown>);
      } catch (error) {
        if (!(error instanceof KindError) || error.code !== 'unit.unknown') throw error;
        missing.push(ids[at] ?? '');
      }
    }
    told.number = items.length;
    const [name = ''] = include;
    const paged = ids.length === 1 && include.length === 1;
    if (from !== undefined && !paged) {
      throw refusal('query.conflict', 'from: wants one id, and one name in include', { parameter: 'from' });
    }
    const text = paged ? items[0]?.[name] : undefined;
    if (typeof text !== 'string' || (from === undefined && text.length <= LIMITS.agentTextLength)) {
      if (from === undefined || items.length === 0) return shortData({ items, ...(missing.length > 0 && { missing }) });
      throw refusal('query.bad_value', `from: '${shortened(name)}' is no text here`, { parameter: 'from' });
    }
    return { items: [{ ...items[0], [name]: { ...pageOf(text, from ?? 0), length: text.length } }] };
  }

  async #write({ scope, given, told }: Call, request: ToolRequest): Promise<unknown> {
    const dry = given.dry_run === true;
    const answer = await this.requests.json(scope, request, dry);
    told.number = dry ? 0 : numberOf(answer);
    return { ...(dry && { dry_run: true }), result: shortData(answer) };
  }

  /** @throws KindError 404 for a function that is not there, or that agents may not call */
  #functionOf(kind: KindDef, model: Model, scope: RequestScope, given: Arguments): AgentFunction {
    const functions = this.#functionsOf(kind, model, scope);
    const { function: name = '', id, dry_run: dry } = given;
    const found = functions.find((each) => each.name === name && each.of_unit === (id !== undefined));
    if (!found) {
      const names = functions.map((each) => each.name);
      const text = `No function '${shortened(name)}' that this key may call so${didYouMean(name, names)}`;
      throw refusal('function.unknown', text, { parameter: 'function' });
    }
    if (found.reads && dry === true) {
      const text = `dry_run: '${name}' takes GET alone and writes nothing; leave it out`;
      throw refusal('query.conflict', text, { parameter: 'dry_run' });
    }
    return found;
  }

  #isUsable(tool: Tool, model: Model, scope: RequestScope): boolean {
    if (!tool.ofModel) return this.#usableKinds(tool, model, scope).length > 0;
    return tool.rights.some((right) => isModelAllowedToAgent(scope.caller, right, model));
  }

  /** The kinds that the key may use a tool for. */
  #usableKinds(tool: Tool, model: Model, scope: RequestScope): KindDef[] {
    const { name, rights, kind: only } = tool;
    const mayUse = (kind: KindDef): boolean => {
      if (only !== undefined && !(kind.id === only && kind.traits.contents)) return false;
      if (name === CALL_FUNCTION) return this.#functionsOf(kind, model, scope).length > 0;
      return rights.some((right) => isAllowedForSomeUnit(kind, right, scope.caller, model));
    };
    return [...model.kinds.values()].filter((kind) => kind.active && mayUse(kind));
  }

  /** The functions of a kind that the key may call. */
  #functionsOf(kind: KindDef, model: Model, { project, caller }: RequestScope): readonly AgentFunction[] {
    const writes = agentOf(caller)?.writes === true;
    return this.functions.of(project, model, kind, caller).filter(({ reads }) => reads || writes);
  }
}

/** Stands for the one of a call in what is logged of its failure. */
const ANY_REQUEST = { method: 'POST', url: '/api/lib/mcp', headers: {} } as HttpRequest;

/** Of the units of an answer, which is a page or one unit; null of others. */
function numberOf(answer: unknown): number | null {
  if (!isPlainObject(answer)) return answer === null ? 1 : null;
  const { items, count } = answer;
  if (Array.isArray(items)) return items.length;
  return typeof count === 'number' ? count : 1;
}

/** Left out: it may destroy, and reaches into the open, as the code of modules may. */
function annotationsOf({ name, writes }: Tool) {
  if (name === CALL_FUNCTION) return {};
  if (writes === undefined) return { readOnlyHint: true, openWorldHint: false };
  return { ...(writes === 'adds' && { destructiveHint: false }), openWorldHint: false };
}

/** @throws KindError 404 for a kind that is not there, and in the same words for one that the key may not use so */
function usableKind(id: string, usable: readonly KindDef[]): KindDef {
  const kind = usable.find((each) => each.id === id);
  if (kind) return kind;
  const ids = usable.map((each) => each.id);
  const text = `No kind '${shortened(id)}' that this key may use so${didYouMean(id, ids)}`;
  throw refusal('kind.unknown', text, { parameter: 'kind' });
}
