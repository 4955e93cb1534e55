/** The command of an inbound call: finds the endpoint, and runs it in one transaction as a caller without a token. */
import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { withOrigin } from '../catalog/session/session.js';
import { type Config, CONFIG } from '../config/config.js';
import { RawAnswer } from '../http/answer/answer.js';
import type { ReceivedBody } from '../http/body/read-body.js';
import type { HttpRequest } from '../http/request/request.js';
import type { EndpointMethod, InboundRequest } from '../kit/module.js';
import type { Command, Opened } from '../run/command.js';
import { KindError, methodNotAllowed } from '../shared/errors.js';
import { isPlainObject, typeName } from '../shared/json.js';
import { LIMITS } from '../shared/limits.js';
import { answerTooLarge } from '../shared/response-size.js';
import { unknownEndpoint } from '../tenancy/route-options.js';
import type { EndpointDef, ReadyModule } from './declare/definition.js';
import { brokenModule } from './load/deployment.js';
import { FunctionRegistry } from './load/module-registry.js';
import { Capacity } from './run/capacity.js';
import { deepCopy } from './sandbox/deep-copy.js';
import { EndpointRates } from './run/endpoint-rates.js';
import { FunctionCalls } from './run/function-calls.js';

interface EndpointTarget {
  /** Of any request. */
  readonly method: string;
  readonly kind: string;
  readonly name: string;
}

interface Found {
  readonly module: ReadyModule;
  readonly def: EndpointDef;
}

@Injectable()
export class EndpointService {
  constructor(
    private readonly registry: FunctionRegistry,
    private readonly calls: FunctionCalls,
    private readonly capacity: Capacity,
    private readonly rates: EndpointRates,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  call(target: EndpointTarget, request: HttpRequest): Command {
    let counted = false;
    return {
      authorize: (opened) => {
        const { module, def } = this.#find(opened, target);
        // A newer model asks again.
        if (!counted) this.rates.countOf(opened.project.id);
        counted = true;
        return {
          effect: 'write',
          kindId: target.kind,
          body: 'asSent',
          checked: true,
          run: (session, received) => {
            const { project } = session;
            const inbound = inboundRequest(target, request, bytesOf(received));
            const answer = async (context: object) =>
              readAnswer(await def.run(context as Parameters<EndpointDef['run']>[0]));
            const answered = this.capacity.calls.run(project.id, () =>
              this.calls.call({
                session: withOrigin(session, 'function'),
                module,
                called: { ...def, type: 'endpoint' },
                timeout: this.config.functionTimeout,
                key: () => createHash('sha256').update(inbound.body).digest('base64'),
                given: () => ({ request: copyOf(inbound) }),
                answer,
                unit: undefined,
              }),
            );
            return answered.catch((error: unknown) => {
              throw withoutSignIn(error);
            });
          },
        };
      },
    };
  }

  /** @throws KindError 404, the same for all that is not there, 405, 503 if the module is broken */
  #find(opened: Opened, { kind: kindId, name, method }: EndpointTarget): Found {
    const kind = opened.model.kinds.get(kindId);
    if (!kind?.active || kind.builtIn) throw unknownEndpoint();
    const loaded = this.registry.usedBy(opened).find(opened.project.id, kindId);
    if (loaded?.state === 'broken') throw brokenModule();
    const def = loaded?.module.endpoints.get(name);
    if (!loaded || !def) throw unknownEndpoint();
    if (!def.methods.some((each) => each === method)) {
      throw methodNotAllowed(`The endpoint '${def.name}' takes ${def.methods.join(' and ')} alone`, def.methods);
    }
    return { module: loaded.module, def };
  }
}

/** The same refusal for a caller that cannot sign in: a token would not be looked at. */
function withoutSignIn(error: unknown): unknown {
  if (!(error instanceof KindError) || error.code !== 'token.missing') return error;
  const text = 'Without a token, an endpoint may do what anyone may, and not this';
  return error.withMessages([{ code: 'access.denied', text }], { cause: error });
}

function bytesOf(received: ReceivedBody): Buffer {
  return Buffer.isBuffer(received) ? received : Buffer.alloc(0);
}

function inboundRequest({ method }: EndpointTarget, { url, headers }: HttpRequest, body: Buffer): InboundRequest {
  const given = Object.entries(headers).filter(([name]) => name !== 'cookie');
  const texts = given.map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]);
  // One that the endpoint takes.
  const taken = method as EndpointMethod;
  return { method: taken, headers: Object.fromEntries(texts) as InboundRequest['headers'], query: queryOf(url), body };
}

function queryOf(url: string): InboundRequest['query'] {
  const start = url.indexOf('?');
  const given = new URLSearchParams(start < 0 ? '' : url.slice(start + 1));
  return Object.fromEntries(
    [...new Set(given.keys())].map((name) => {
      const texts = given.getAll(name);
      return [name, texts.length === 1 ? texts[0] : texts];
    }),
  );
}

/** The bytes are in memory of their own: those of a small `Buffer` share it with others. */
function copyOf({ method, headers, query, body }: InboundRequest): InboundRequest {
  return {
    method,
    headers: { ...headers },
    query: deepCopy(query) as InboundRequest['query'],
    body: Buffer.from(new Uint8Array(body).buffer),
  };
}

const ANSWER_KEYS: readonly string[] = ['status', 'type', 'body'];
/** A media type with parameters, as a header. */
const CONTENT_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;\s*[\w!#$&^.+-]+=(?:[\w!#$&^.+-]+|"[^"\\\p{Cc}]*"))*$/u;

/** @throws TypeError if it is none */
function readAnswer(returned: unknown): RawAnswer {
  if (returned === undefined || returned === null) return new RawAnswer(204, undefined, NO_BYTES);
  if (!isPlainObject(returned)) throw new TypeError(`it must return {status, type, body}, got ${typeName(returned)}`);
  const unknown = Object.keys(returned).find((key) => !ANSWER_KEYS.includes(key));
  if (unknown !== undefined) throw new TypeError(`its answer has no '${unknown}'; there are ${ANSWER_KEYS.join(', ')}`);
  const { status = 200, type, body } = returned;
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 200 || status > 599) {
    throw new TypeError('the status of its answer must be an integer from 200 to 599');
  }
  if (type !== undefined && (typeof type !== 'string' || !CONTENT_TYPE.test(type))) {
    throw new TypeError('the type of its answer must be a content type, such as text/plain');
  }
  if (body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array)) {
    throw new TypeError(`the body of its answer must be a string or bytes, got ${typeName(body)}`);
  }
  if (WITHOUT_BODY.has(status)) return new RawAnswer(status, undefined, NO_BYTES);
  const bytes = typeof body === 'string' ? Buffer.from(body) : Buffer.from(body ?? NO_BYTES);
  if (bytes.length > LIMITS.answerBytes) throw answerTooLarge();
  return new RawAnswer(status, type ?? (body instanceof Uint8Array ? BYTES : TEXT), bytes);
}

const NO_BYTES = new Uint8Array();
const BYTES = 'application/octet-stream';
const TEXT = 'text/plain; charset=utf-8';
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);
