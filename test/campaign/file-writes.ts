/**
 * Uploads in every form, replacements and deletions, each at files of its own, with a ledger of what there may be
 * afterwards. They say where they are, so that the service can be killed there.
 */
import { createHash } from 'node:crypto';
import http from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { isAnswer, shown, storedBy, type Answer, type Client, type NoAnswer } from './client.js';
import type { Random } from './random.js';

/** The points of all writes at which the service may be killed. */
export const POINTS = [
  ...['raw: body', 'raw: answer', 'form: body', 'form: answer', 'json: answer', 'nested: answer', 'batch: answer'],
  ...['replacement: body', 'replacement: answer', 'deletion: answer', 'owned deletion: answer'],
  ...['tus: creation', 'tus: part', 'tus: answer to a part', 'tus: last part', 'tus: answer to the last part'],
] as const;

export type Point = (typeof POINTS)[number];

/** Sorts of writes, as in the names of points. */
const SORTS = [...new Set(POINTS.map(sortOf))];

export function sortOf(point: string): string {
  return point.replace(/:.*/, '');
}

/** A file of the ledger. */
export interface Known {
  readonly name: string;
  /** What its content may be, by digest; null: there is no file. */
  allowed: readonly (string | null)[];
  id?: string;
  /** The unit that owns it. */
  note?: string;
  /** Whether a unit that is not known owns it, so that it stays. */
  owned?: true;
  /** Another one of the same write: both are there or none. */
  readonly with?: Known;
}

export interface OpenUpload {
  readonly path: string;
  readonly content: string;
  /** Bytes of which it was answered that they are stored. */
  stored: number;
  readonly known: Known;
}

export interface FileWriterOptions {
  readonly client: Client;
  readonly random: Random;
  readonly nextName: () => string;
  /** Told when a write reaches a point. @returns what is called when it leaves it */
  readonly at: (point: Point) => () => void;
}

export const NOTE = {
  id: 'note',
  parameters: [{ id: 'cover', kind_id: 'unit', reference_kind: 'file', owned: true }],
};

const SIZES = [1, 10, 5000, 70_000, 400_000];
/** Milliseconds between two pieces of a body, at most. */
const SLOW = 30;
const TUS = { 'tus-resumable': '1.0.0' };
const BOUNDARY = 'boundary';

export function digestOf(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}

interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | number>>;
  readonly body?: string;
  /** Where it is while its body is sent, and then. */
  readonly points: readonly [body: Point | undefined, answer: Point];
}

export class FileWriter {
  readonly files: Known[] = [];
  readonly uploads: OpenUpload[] = [];
  readonly faults: string[] = [];
  readonly counts = { stored: 0, absent: 0, unknown: 0 };

  constructor(private readonly options: FileWriterOptions) {}

  /** Writes until the service is gone, or until it is stopped. @param often the sort of every other write */
  async run(isOver: () => boolean, often: string): Promise<void> {
    const { random } = this.options;
    let goesOn = true;
    while (goesOn && !isOver()) {
      const sort = random.chance(0.5) ? often : random.pick(SORTS);
      goesOn = await this.#write(sort, random);
    }
  }

  #write(sort: string, random: Random): Promise<boolean> {
    const mine = this.files.filter(({ allowed, id }) => allowed.length === 1 && allowed[0] !== null && id);
    const pick = (files: readonly Known[]) => (files.length > 0 ? random.pick(files) : undefined);
    const [own, owned] = [pick(mine.filter((each) => each.owned !== true)), pick(mine.filter((each) => each.note))];
    if (sort === 'replacement' && own) return this.#replace(own);
    if (sort === 'deletion' && own) return this.#remove(own);
    if (sort === 'owned deletion' && owned) return this.#remove(owned);
    if (sort === 'nested' || sort === 'owned deletion') return this.#nested();
    if (sort === 'form') return this.#form();
    if (sort === 'json') return this.#json();
    if (sort === 'batch') return this.#batch();
    return sort === 'tus' ? this.#tus() : this.#raw();
  }

  /** After the service was killed: uploads go on where they were, with all that was answered. */
  async resume(): Promise<number> {
    const { client } = this.options;
    const open = this.uploads.splice(0);
    for (const { path, content, stored, known } of open) {
      const head = await client.send({ method: 'HEAD', path, headers: TUS });
      if (!isAnswer(head) || head.status !== 200) {
        this.faults.push(`HEAD ${path}, ${stored} bytes of which are stored → ${shown(head)}`);
        continue;
      }
      const offset = Number(head.headers['upload-offset']);
      let id = head.headers['kind-file'];
      if (offset < stored) this.faults.push(`${path}: ${stored} bytes were answered, ${offset} are there`);
      if (id === undefined) {
        const headers = { ...TUS, 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' };
        const answer = await client.send({ method: 'PATCH', path, body: content.slice(offset), headers });
        id = isAnswer(answer) ? answer.headers['kind-file'] : undefined;
        if (id === undefined) this.faults.push(`PATCH ${path} from ${offset} → ${shown(answer)}`);
      }
      if (id === undefined) continue;
      known.id = String(id);
      known.allowed = [digestOf(content)];
    }
    return open.length;
  }

  #content(): string {
    const { random } = this.options;
    const size = random.pick(SIZES);
    return `${random.from(0, 2 ** 32 - 1)} `.repeat(Math.ceil(size / 2)).slice(0, size + 8);
  }

  #new(more: Partial<Known> = {}): Known {
    const known: Known = { name: this.options.nextName(), allowed: [null], ...more };
    this.files.push(known);
    return known;
  }

  /** A write of one content for a new file. @returns whether the service is there */
  async #upload(known: Known, content: string, request: Request, idIn = ({ id }: Made) => id): Promise<boolean> {
    const digest = digestOf(content);
    known.allowed = [null, digest];
    const answer = await this.#send(request);
    this.#settle([known], answer, digest, null);
    if (answer.status === 200 && 'body' in answer) known.id = idIn(answer.body?.content as Made);
    return isAnswer(answer);
  }

  #raw(): Promise<boolean> {
    const [known, content] = [this.#new(), this.#content()];
    const path = `/file/unit?name=${known.name}`;
    return this.#upload(known, content, { ...TEXT, path, body: content, points: ['raw: body', 'raw: answer'] });
  }

  #form(): Promise<boolean> {
    const [known, content] = [this.#new(), this.#content()];
    const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="${known.name}"\r\n\r\n`;
    const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
    const body = `${head}${content}\r\n--${BOUNDARY}--\r\n`;
    const points = ['form: body', 'form: answer'] as const;
    return this.#upload(known, content, { method: 'POST', path: '/file/unit', headers, body, points });
  }

  #json(): Promise<boolean> {
    const [known, content] = [this.#new(), this.#content()];
    const request = json('/file/unit', inJson(known, content), 'json: answer');
    return this.#upload(known, content, request);
  }

  #nested(): Promise<boolean> {
    const [known, content] = [this.#new({ owned: true }), this.#content()];
    const request = json('/note/unit', { cover: inJson(known, content) }, 'nested: answer');
    return this.#upload(known, content, request, ({ id, cover }) => {
      known.note = id;
      return typeof cover === 'string' ? cover : (cover?.id ?? '');
    });
  }

  async #batch(): Promise<boolean> {
    const first = this.#new();
    const both = [first, this.#new({ with: first })];
    const content = this.#content();
    const operations = both.map((known) => ({ method: 'POST', path: '/file/unit', body: inJson(known, content) }));
    const digest = digestOf(content);
    for (const known of both) known.allowed = [null, digest];
    const answer = await this.#send(json('/batch', { operations }, 'batch: answer'));
    this.#settle(both, answer, digest, null);
    return isAnswer(answer);
  }

  async #replace(known: Known): Promise<boolean> {
    const content = this.#content();
    const [before = null] = known.allowed;
    const digest = digestOf(content);
    known.allowed = [before, digest];
    const points = ['replacement: body', 'replacement: answer'] as const;
    const path = `/file/unit/${known.id}/content`;
    const answer = await this.#send({ ...TEXT, method: 'PUT', path, body: content, points });
    this.#settle([known], answer, digest, before);
    return isAnswer(answer);
  }

  async #remove(known: Known): Promise<boolean> {
    const [before = null] = known.allowed;
    const { note } = known;
    known.allowed = [before, null];
    const path = note === undefined ? `/file/unit/${known.id}` : `/note/unit/${note}`;
    const point = note === undefined ? 'deletion: answer' : 'owned deletion: answer';
    const answer = await this.#send({ method: 'DELETE', path, points: [undefined, point] });
    this.#settle([known], answer, null, before);
    return isAnswer(answer);
  }

  async #tus(): Promise<boolean> {
    const [known, content] = [this.#new(), this.#content()];
    const headers = {
      ...TUS,
      'upload-length': content.length,
      'upload-metadata': `filename ${Buffer.from(known.name).toString('base64')}`,
      'content-length': 0,
    };
    const points = [undefined, 'tus: creation'] as const;
    const begun = await this.#send({ method: 'POST', path: '/file/upload', headers, points });
    if (!isAnswer(begun) || begun.status !== 201) return this.#refusedPart(begun);
    const path = String(begun.headers.location).replace('/api/lib', '');
    const upload: OpenUpload = { path, content, stored: 0, known };
    this.uploads.push(upload);
    const ends = [Math.ceil(content.length / 3), Math.ceil((content.length * 2) / 3), content.length];
    for (const end of ends) {
      const isLast = end === content.length;
      if (isLast) known.allowed = [null, digestOf(content)];
      const answer = await this.#send({
        method: 'PATCH',
        path,
        headers: { ...TUS, 'upload-offset': upload.stored, 'content-type': 'application/offset+octet-stream' },
        body: content.slice(upload.stored, end),
        points: isLast ? ['tus: last part', 'tus: answer to the last part'] : ['tus: part', 'tus: answer to a part'],
      });
      if (!isAnswer(answer) || answer.status !== 204) return this.#refusedPart(answer);
      upload.stored = end;
      if (!isLast) continue;
      known.id = String(answer.headers['kind-file']);
      known.allowed = [digestOf(content)];
      this.counts.stored += 1;
      this.uploads.splice(this.uploads.indexOf(upload), 1);
    }
    return true;
  }

  #refusedPart(answer: Answer | NoAnswer): boolean {
    if (isAnswer(answer) && answer.status !== 503) this.faults.push(`a part → ${shown(answer)}`);
    if (!isAnswer(answer)) this.counts.unknown += 1;
    return isAnswer(answer);
  }

  #settle(files: readonly Known[], answer: Answer | NoAnswer, after: string | null, before: string | null): void {
    const stored = storedBy(answer);
    this.counts[stored] += 1;
    for (const known of files) {
      if (stored !== 'unknown') known.allowed = [stored === 'stored' ? after : before];
    }
    if (isAnswer(answer) && answer.status !== 200 && answer.status !== 503) {
      this.faults.push(`${files[0]?.name} → ${shown(answer)}`);
    }
  }

  /** Half of the body, and after a while the rest. */
  #send({ method, path, headers, body = '', points: [sending, waiting] }: Request): Promise<Answer | NoAnswer> {
    const { client, at, random } = this.options;
    return new Promise((resolve) => {
      let leave: () => void = () => undefined;
      const end = (answer: Answer | NoAnswer): void => {
        leave();
        resolve(answer);
      };
      const fail = (error: NodeJS.ErrnoException): void =>
        end({ status: 0, refused: error.code === 'ECONNREFUSED', kept: false, reason: error.code ?? error.message });
      const request = http.request(`${client.url}/api/lib${path}`, {
        method,
        headers: { ...client.headers, 'content-length': body.length, ...headers },
        agent: false,
      });
      request.on('error', fail);
      request.on('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', fail);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const isJson = (response.headers['content-type'] ?? '').startsWith('application/json') && text !== '';
          const parsed = isJson ? (JSON.parse(text) as Answer['body']) : undefined;
          end({ status: response.statusCode ?? 0, headers: response.headers, text, body: parsed });
        });
      });
      const half = sending === undefined ? 0 : body.length / 2;
      const finish = (): void => {
        leave();
        leave = at(waiting);
        request.end(body.slice(half));
      };
      if (sending === undefined) return finish();
      leave = at(sending);
      request.write(body.slice(0, half));
      void pause(random.from(0, SLOW)).then(finish);
    });
  }
}

interface Made {
  readonly id: string;
  readonly cover?: string | { readonly id: string };
}

const TEXT = { method: 'POST', headers: { 'content-type': 'text/plain' } };

function json(path: string, body: unknown, point: Point): Request {
  const headers = { 'content-type': 'application/json' };
  return { method: 'POST', path, headers, body: JSON.stringify(body), points: [undefined, point] };
}

function inJson({ name }: Known, content: string) {
  return { name, content: Buffer.from(content).toString('base64') };
}
