/**
 * Writes the JSON text of a document member by member, up to a maximum size, and yields to other requests in between.
 * It collects the components that the text refers to, so that only these are rendered.
 */
import { EventLoopYield } from '../../shared/event-loop-yield.js';
import { refusal, type KindError } from '../../shared/errors.js';
import { jsonText } from '../../shared/large-json.js';
import { LIMITS } from '../../shared/limits.js';
import { runYielding } from '../../shared/work-in-pieces.js';

export const SECTIONS = ['responses', 'parameters', 'schemas', 'headers'] as const;
export type Section = (typeof SECTIONS)[number];

/** A `$ref` in JSON text. Inside texts of users it does not match, because their quotes are escaped. */
const REFERENCE = /"\$ref":"#\/components\/(responses|parameters|schemas|headers)\/([^"]+)"/g;
const CHUNK = 256 * 1024;

export class DocumentText {
  /** The names of used components, by section. Iterating over a set also visits names that are added meanwhile. */
  readonly used: Readonly<Record<Section, Set<string>>> = {
    responses: new Set(),
    parameters: new Set(),
    schemas: new Set(),
    headers: new Set(),
  };
  readonly #yielder = new EventLoopYield();
  readonly #chunks: Buffer[] = [];
  #waiting = '';
  #bytes = 0;
  /** Whether the next member is the first one of its object. */
  #first = true;

  /** @param most the maximum size in bytes */
  constructor(private readonly most: number = LIMITS.documentBytes) {}

  open(key?: string): void {
    this.#write(key === undefined ? '{' : `${this.#comma()}${JSON.stringify(key)}:{`);
    this.#first = true;
  }

  close(): void {
    this.#write('}');
    this.#first = false;
  }

  /** Adds a member to the open object. @throws KindError 413 */
  async add(key: string, value: unknown): Promise<void> {
    const text = await runYielding(jsonText(value), this.#yielder);
    for (const [, section, name = ''] of text.matchAll(REFERENCE)) this.used[section as Section].add(name);
    this.#write(`${this.#comma()}${JSON.stringify(key)}:${text}`);
    if (this.#yielder.due) await this.#yielder.pause();
  }

  bytes(): Buffer<ArrayBuffer> {
    this.#flush();
    return Buffer.concat(this.#chunks);
  }

  #comma(): string {
    const comma = this.#first ? '' : ',';
    this.#first = false;
    return comma;
  }

  #write(text: string): void {
    this.#waiting += text;
    if (this.#waiting.length > CHUNK) this.#flush();
  }

  #flush(): void {
    const chunk = Buffer.from(this.#waiting);
    this.#waiting = '';
    this.#bytes += chunk.length;
    if (this.#bytes > this.most) throw documentTooLarge(this.most);
    this.#chunks.push(chunk);
  }
}

function documentTooLarge(most: number): KindError {
  const size = `${(most / 1024 / 1024).toLocaleString('en')} MiB`;
  return refusal('document.too_large', `The document would be larger than ${size}; ask for some kinds: ?kinds=a,b`);
}
