/** What identity providers publish, their discovery and their keys, as it was read last. */
import { LRUCache } from 'lru-cache';
import { SharedLoads } from '../../../shared/shared-loads.js';
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
  async get(url: string): Promise<string> {
    const known = this.#read.get(url);
    return known && Date.now() - known.readAt < LASTS ? known.text : this.readAnew(url);
  }

  /** For what the document did not have. One that was read anew a short time ago is returned as it was. */
  getNewer(url: string): Promise<string> {
    return this.#loads.run(url, async () => {
      const known = this.#read.get(url);
      if (known && Date.now() - known.triedAt < PAUSE) return known.text;
      if (known) this.#read.set(url, { ...known, triedAt: Date.now() });
      return this.#load(url);
    });
  }

  /** @throws ProviderFailure `provider.unavailable` */
  readAnew(url: string): Promise<string> {
    return this.#loads.run(url, () => this.#load(url));
  }

  async #load(url: string): Promise<string> {
    const answer = await this.requests.send(url, { method: 'GET', headers: { accept: 'application/json' } });
    if (answer.status !== 200) throw unavailable(`it answered with the status ${answer.status}`);
    const text = await answer.text();
    const now = Date.now();
    this.#read.set(url, { text, readAt: now, triedAt: now });
    return text;
  }
}
