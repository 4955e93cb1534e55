/** What identity providers publish, their discovery and their keys, as it was read last. */
import { LRUCache } from 'lru-cache';
import { readJson } from '../../../http/body/json-pieces.js';
import { LIMITS } from '../../../shared/limits.js';
import { SharedLoads } from '../../../shared/shared-loads.js';
import { byteSizeText } from '../../../shared/texts.js';
import { unavailable } from './provider-failure.js';
import type { ProviderRequests } from './provider-requests.js';

const LASTS = 60 * 60 * 1000;
/** Milliseconds after a reading in which there is no other one for keys that it did not have. */
const PAUSE = 60 * 1000;
const MOST_DOCUMENTS = 1000;
/** Characters of all of them. */
const MOST_TEXT = 16 * 1024 * 1024;

interface Document {
  /** JSON. */
  readonly text: string;
  readonly readAt: number;
  /** When it was last tried to read it anew. */
  readonly triedAt: number;
}

export class ProviderDocuments {
  readonly #read = new LRUCache<string, Document>({
    max: MOST_DOCUMENTS,
    maxSize: MOST_TEXT,
    sizeCalculation: ({ text }) => text.length,
  });
  readonly #loads = new SharedLoads<string>();

  constructor(private readonly requests: Pick<ProviderRequests, 'send'>) {}

  /** The document as it was read within the last hour, or as it is. @throws ProviderFailure `provider.unavailable` */
  async get(schema: string, url: string): Promise<string> {
    const known = this.#read.get(url);
    return known && Date.now() - known.readAt < LASTS ? known.text : this.readAnew(schema, url);
  }

  /** For what the document did not have. One that was read anew a short time ago is returned as it was. */
  getNewer(schema: string, url: string): Promise<string> {
    return this.#loads.run(url, async () => {
      const known = this.#read.get(url);
      if (known && Date.now() - known.triedAt < PAUSE) return known.text;
      if (known) this.#read.set(url, { ...known, triedAt: Date.now() });
      return this.#load(schema, url);
    });
  }

  /** @throws ProviderFailure `provider.unavailable` */
  readAnew(schema: string, url: string): Promise<string> {
    return this.#loads.run(url, () => this.#load(schema, url));
  }

  async #load(schema: string, url: string): Promise<string> {
    const headers = { accept: 'application/json' };
    const most = LIMITS.providerAnswer;
    const answer = await this.requests.send(url, { schema, method: 'GET', headers, most });
    if (answer.status !== 200) throw unavailable(`it answered with the status ${answer.status}`);
    const text = JSON.stringify(usedOf(await readJson(await answer.text(), schema)));
    if (text.length > LIMITS.providerUsed) {
      throw unavailable(`it publishes more than ${byteSizeText(LIMITS.providerUsed)} of what is used`);
    }
    const now = Date.now();
    this.#read.set(url, { text, readAt: now, triedAt: now });
    return text;
  }
}

/** Of both sorts of documents, and of keys (RFC 7517, 7518, 8037). The rest would be read anew for every sign-in. */
const USED = [
  'issuer',
  'authorization_endpoint',
  'token_endpoint',
  'jwks_uri',
  'userinfo_endpoint',
  'authorization_response_iss_parameter_supported',
  'id_token_signing_alg_values_supported',
  'token_endpoint_auth_methods_supported',
  'userinfo_signing_alg_values_supported',
  'keys',
];
const USED_OF_KEYS = ['kty', 'kid', 'use', 'key_ops', 'alg', 'crv', 'n', 'e', 'x', 'y', 'pub'];

function usedOf(json: unknown): object {
  const document = picked(json, USED) as { readonly keys?: unknown };
  const { keys } = document;
  return Array.isArray(keys) ? { ...document, keys: keys.map((key) => picked(key, USED_OF_KEYS)) } : document;
}

function picked(json: unknown, names: readonly string[]): object {
  const all = Object(json) as Readonly<Record<string, unknown>>;
  return Object.fromEntries(names.filter((name) => Object.hasOwn(all, name)).map((name) => [name, all[name]]));
}
