/**
 * Compares the answers of the service with the API document that it serves: every answer of every test. Schemas
 * are compiled when an answer first needs them.
 */
import { LRUCache } from 'lru-cache';
import { genericDocument } from '../../src/doc/openapi/document.js';
import type { OpenApiDocument } from '../../src/doc/openapi/openapi.js';
import { getOrInsert } from '../../src/shared/maps.js';
import { applicationDescription } from './application.js';
import { DocumentSchemas } from './document-schemas.js';

export interface Answered {
  readonly method: string;
  /** From the root of the service, with its query. */
  readonly path: string;
  readonly status: number;
  readonly type: string | null;
  /** The parsed body; undefined where there is none. */
  readonly body: unknown;
  /** The same as it was received. */
  readonly text: string;
  /** The body of the request, as it was sent. */
  readonly sent?: string | Buffer | undefined;
}

interface Template {
  readonly path: string;
  readonly pattern: RegExp;
}

type Node = Record<string, unknown>;

/** Characters of answers that are remembered as valid. */
const REMEMBERED = 10_000_000;
/** Characters of the longest of them. To look a long one up takes as long as to validate it, and it comes once. */
const LONGEST_REMEMBERED = 20_000;

/** What a document says of answers, ready to be asked. */
export class AnswerCheck {
  readonly #schemas: DocumentSchemas;
  /** By the number of slashes in their paths: all of one number can be tried for an answer. */
  readonly #templates = new Map<number, Template[]>();
  /** What stands at a pointer. */
  readonly #nodes = new Map<string, Node>();
  /** Schemas and texts that were found valid: the same answer comes often. */
  readonly #valid = new LRUCache<string, true>({ maxSize: REMEMBERED, sizeCalculation: (_, key) => key.length });

  constructor(private readonly document: OpenApiDocument) {
    this.#schemas = new DocumentSchemas(document);
    // As the service itself does, a path without names in it goes before one with them.
    for (const path of Object.keys(document.paths).sort((a, b) => names(a) - names(b))) {
      const pattern = new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`);
      getOrInsert(this.#templates, slashes(path), () => []).push({ path, pattern });
    }
  }

  /** What is wrong with an answer, or with what it accepted; undefined where all is as the document says. */
  fault(answer: Answered): string | undefined {
    const { method, path, status, body, text } = answer;
    if (method === 'HEAD' || method === 'OPTIONS') return undefined;
    const found = this.#find(method, path);
    const where = `${method} ${path.slice(0, 200)} → ${status}`;
    if (!found) {
      return status < 400 ? `${where}: the document has no such operation` : this.#judge(ERROR, body, text, where);
    }
    const responses = `/paths/${escaped(found)}/${method.toLowerCase()}/responses`;
    const all = this.#at(responses);
    const key = Object.hasOwn(all, String(status)) ? String(status) : 'default';
    if (!Object.hasOwn(all, key)) return `${where}: ${found} names no such status: ${Object.keys(all).join(', ')}`;
    return this.#content(this.#resolve(`${responses}/${key}`), answer, where) ?? this.#accepted(found, answer, where);
  }

  /** What was done is what the document says that one may ask for. */
  #accepted(path: string, { method, status, sent, path: asked }: Answered, where: string): string | undefined {
    const operation = `/paths/${escaped(path)}/${method.toLowerCase()}`;
    const [, query = ''] = asked.split('?');
    if (status !== 200 || sent === undefined) return undefined;
    const accepted = this.#at(operation)['requestBody'] as { readonly content: Node } | undefined;
    if (!accepted || !Object.hasOwn(accepted.content, 'application/json') || isContent(query)) return undefined;
    const body = plainJson(sent.toString());
    if (body === undefined) return undefined;
    return this.#judge(
      `${operation}/requestBody/content/application~1json/schema`,
      body,
      sent.toString(),
      `the body of ${where}`,
    );
  }

  #content(pointer: string, { type, body, text }: Answered, where: string): string | undefined {
    const { content } = this.#at(pointer);
    if (content === undefined) return body === undefined ? undefined : `${where}: the document has no body`;
    const [media] = (type ?? '').split(';');
    const known = [media, '*/*'].find((each) => each !== undefined && Object.hasOwn(content as Node, each));
    if (known === undefined)
      return `${where}: ${media ?? 'nothing'}, but the document says ${Object.keys(content as Node).join(', ')}`;
    if (known !== 'application/json') return undefined;
    return this.#judge(`${pointer}/content/application~1json/schema`, body, text, where);
  }

  #judge(pointer: string, body: unknown, text: string, where: string): string | undefined {
    const key = text.length > LONGEST_REMEMBERED ? undefined : `${pointer}\n${text}`;
    if (key !== undefined && this.#valid.get(key)) return undefined;
    const validate = this.#schemas.validator(this.#at(pointer));
    if (validate(body)) {
      if (key !== undefined) this.#valid.set(key, true);
      return undefined;
    }
    const faults = (validate.errors ?? []).map(({ instancePath, message, params, schemaPath }) => {
      return `  ${instancePath || '/'} ${message ?? ''} ${JSON.stringify(params)} (${schemaPath})`;
    });
    return [`${where} is not what the document says:`, ...faults, `  ${JSON.stringify(body)?.slice(0, 1000)}`].join(
      '\n',
    );
  }

  #find(method: string, path: string): string | undefined {
    const [plain = ''] = path.split('?');
    const item = this.#templates
      .get(slashes(plain))
      ?.find(
        ({ path: template, pattern }) =>
          pattern.test(plain) && Object.hasOwn(this.#at(`/paths/${escaped(template)}`), method.toLowerCase()),
      );
    return item?.path;
  }

  #resolve(pointer: string): string {
    const { $ref } = this.#at(pointer);
    return typeof $ref === 'string' ? $ref.slice(1) : pointer;
  }

  #at(pointer: string): Node {
    return getOrInsert(this.#nodes, pointer, () => {
      const keys = pointer.split('/').slice(1);
      return keys.reduce<unknown>(
        (node, key) => (node as Node)[key.replaceAll('~1', '/').replaceAll('~0', '~')],
        this.document,
      ) as Node;
    });
  }
}

/** Whether the body of an upload is the content, whatever its type. */
function isContent(query: string): boolean {
  return /(?:^|&)(?:name|values)=/.test(query);
}

const ERROR = '/components/schemas/kind_error';

function slashes(path: string): number {
  return path.split('/').length - 1;
}

function names(path: string): number {
  return path.split('{').length;
}

/** A body that was accepted; undefined for one that was compressed on its way. */
function plainJson(sent: string): unknown {
  try {
    return JSON.parse(sent.replace(/^\ufeff/, ''));
  } catch {
    return undefined;
  }
}

function escaped(path: string): string {
  return path.replaceAll('~', '~0').replaceAll('/', '~1');
}

let generic: Promise<AnswerCheck> | undefined;

/** `own`: the document of the caller, if it is to be held to that too. @throws Error where an answer is not what it says */
export async function checkAnswer(answer: Answered, own?: AnswerCheck): Promise<void> {
  const particulars = { url: 'http://localhost', title: '', description: '', version: '' };
  generic ??= applicationDescription()
    .then((application) => genericDocument(application, particulars))
    .then((bytes) => new AnswerCheck(JSON.parse(bytes.toString()) as OpenApiDocument));
  const fault = (await generic).fault(answer) ?? own?.fault(answer);
  if (fault !== undefined) throw new Error(fault);
}
