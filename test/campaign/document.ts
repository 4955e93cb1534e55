/**
 * Requests from the service's own API document: for every operation parameters and bodies that its schemas allow, and
 * changed ones that they may not allow. Every answer has to be one that the document describes.
 */
import type { OpenApiDocument, OpenApiOperation, OpenApiParameter, Schema } from '../../src/doc/openapi/openapi.js';
import { SchemaValues } from '../support/schema-values.js';
import { throwFaults, type Campaign, type CampaignOptions, type Figures } from './campaign.js';
import { Deployment } from './deployment.js';
import { answerFault, ask, written } from './fuzz/answers.js';
import type { FuzzRequest } from './fuzz/grammar.js';
import { mutatedJson, mutatedText } from './fuzz/mutate.js';
import { makeWorld, type FuzzCaller, type World } from './fuzz/world.js';
import { Random } from './random.js';

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly OpenApiParameter[];
  readonly body: Schema | undefined;
  /** It changes definitions, members or sessions: only tried, so that the document stays right. */
  readonly onlyTried: boolean;
}

const CLIENTS = 8;
/** Values that are made of a schema at once. */
const SAMPLES = 20;
const REPORTED = 5000;
/** Part of the requests; the others are of any caller. */
const ADMINISTRATORS = 0.6;
/** Operations that end sessions, or take long by design. */
const LEFT_OUT = /\/auth\/(?!me$|session$)|swaggerui|openapi|\/function\//;
/** What changes all the time; writes of all other kinds are only tried. */
const CHANGING = /^\/api\/lib\/(?:scratch|thing|place|batch|\{kind_id\}|\{parent_kind_id\})(?:\/|$)/;

class DocumentFuzzer {
  readonly #random: Random;
  readonly #values: SchemaValues;
  readonly #operations: readonly Operation[];
  readonly #made = new Map<string, unknown[]>();
  readonly #faults: string[] = [];
  readonly #counts: Record<string, number> = { requests: 0 };
  #seed: number;

  constructor(
    private readonly options: CampaignOptions,
    private readonly world: World,
  ) {
    this.#random = new Random(options.seed);
    this.#seed = options.seed;
    this.#values = new SchemaValues(world.document);
    this.#operations = Object.entries(world.document.paths).flatMap(([path, item]) =>
      Object.entries(item).flatMap(([method, operation]) => operationOf(world.document, path, method, operation)),
    );
  }

  async run(): Promise<Figures> {
    const before = await this.world.neighbour();
    let left = this.options.rounds;
    const work = async (): Promise<void> => {
      while ((left -= 1) >= 0 && this.#faults.length === 0) {
        await this.#one(left);
        if (left % REPORTED === 0) this.options.say(JSON.stringify(this.#counts));
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, work));
    if ((await this.world.neighbour()) !== before) this.#faults.push('the other project has changed');
    throwFaults(this.#faults, `seed ${this.options.seed}`);
    return { operations: this.#operations.length, ...this.#counts };
  }

  /** The operations take turns. */
  async #one(turn: number): Promise<void> {
    const operation = this.#operations[turn % this.#operations.length];
    if (!operation) return;
    const { callers } = this.world;
    const admins = callers.filter((each) => each.admin);
    const caller = this.#random.pick(this.#random.chance(ADMINISTRATORS) ? admins : callers);
    const changed = this.#random.chance(0.5);
    const request = this.#request(operation, caller, changed);
    const answer = await ask(this.world.url, request);
    const fault = answerFault(request, answer, this.world.check);
    if (fault !== undefined) {
      this.#faults.push(
        `${written(request, caller.name)}\n    → ${answer.status} ${answer.text.slice(0, 600)}\n    ${fault}`,
      );
    }
    for (const name of ['requests', `status ${answer.status}`]) this.#counts[name] = (this.#counts[name] ?? 0) + 1;
  }

  #request(operation: Operation, { headers, admin }: FuzzCaller, changed: boolean): FuzzRequest {
    const { method, path: template, parameters, body: schema } = operation;
    const random = this.#random;
    const strays = changed && admin !== true && random.chance(0.2);
    const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = this.#pathValue(parameters, name);
      return encodeURIComponent(strays ? wellFormed(mutatedText(value, random)) : value);
    });
    const query = parameters.filter((each) => each.in === 'query' && each.name !== 'dry_run' && random.chance(0.25));
    const written = query.map((each) => this.#written(each, changed));
    if (operation.onlyTried) written.push('dry_run=true');
    const body = schema === undefined ? undefined : this.#value(schema);
    const text = body === undefined ? undefined : JSON.stringify(changed ? mutatedJson(body, random) : body);
    return {
      method: method.toUpperCase(),
      path: `${path}${written.length > 0 ? '?' : ''}${written.join('&')}`,
      headers: { ...headers, ...(text !== undefined && { 'content-type': 'application/json' }) },
      ...(text !== undefined && { body: text }),
    };
  }

  #pathValue(parameters: readonly OpenApiParameter[], name: string): string {
    const { world } = this;
    const schema = parameters.find((each) => each.in === 'path' && each.name === name)?.schema;
    if (schema && 'enum' in schema) return String(this.#random.pick(schema['enum'] as unknown[]));
    const known = [...world.scratch, ...world.places, 'scratch', 'about', 'things', 'code'];
    return this.#random.pick(known);
  }

  #written({ name, schema, explode = true }: OpenApiParameter, changed: boolean): string {
    const value = this.#value(schema);
    const texts = [value].flat().map((each) => {
      const text = String(each);
      return encodeURIComponent(wellFormed(changed ? mutatedText(text, this.#random) : text));
    });
    return explode ? texts.map((text) => `${name}=${text}`).join('&') : `${name}=${texts.join(',')}`;
  }

  #value(schema: Schema): unknown {
    const key = JSON.stringify(schema);
    const left = this.#made.get(key) ?? [];
    if (left.length === 0) {
      left.push(...this.#values.sample(schema, SAMPLES, (this.#seed += 1)));
      this.#made.set(key, left);
    }
    return left.pop();
  }
}

function wellFormed(text: string): string {
  return text.toWellFormed();
}

function operationOf(
  { components }: OpenApiDocument,
  path: string,
  method: string,
  operation: OpenApiOperation,
): Operation[] {
  const { parameters = [], requestBody } = operation;
  const body = requestBody?.content['application/json']?.schema;
  if (LEFT_OUT.test(path) || (requestBody && body === undefined)) return [];
  const resolved = parameters.map((each): OpenApiParameter => {
    const parameter = '$ref' in each ? components.parameters[each.$ref.split('/').at(-1) ?? ''] : each;
    if (!parameter) throw new Error(`${path}: an unknown parameter`);
    return parameter;
  });
  const onlyTried = method !== 'get' && !CHANGING.test(path);
  if (onlyTried && !resolved.some(({ name }) => name === 'dry_run')) return [];
  return [{ method, path, parameters: resolved, body, onlyTried }];
}

async function run(options: CampaignOptions): Promise<Figures> {
  const deployment = await Deployment.start(options);
  try {
    const figures = await new DocumentFuzzer(options, await makeWorld(deployment)).run();
    throwFaults(deployment.errors(), 'errors in the log');
    return figures;
  } finally {
    await deployment.stop();
  }
}

export const document: Campaign = {
  about: 'requests from the schemas of the API document, allowed and changed; answers are held to the document',
  rounds: 100_000,
  run,
};
