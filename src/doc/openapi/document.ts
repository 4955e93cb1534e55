/**
 * Renders the API document, generic or of a project for one caller, member by member, so that a large one does not block
 * other requests. Only components that its text refers to are rendered.
 */
import { TAGS } from '../../http/route/api-route.js';
import { builtInRecords, buildModel } from '../../model/build/build-model.js';
import type { KindDef } from '../../model/model.js';
import { ADMIN_KIND } from '../../model/built-in-traits.js';
import { EventLoopYield } from '../../shared/event-loop-yield.js';
import { Faults, refusal, type KindError } from '../../shared/errors.js';
import { shortened } from '../../shared/texts.js';
import type { MemberCaller } from '../../tenancy/caller.js';
import { componentsOf, SECTIONS, type Section } from './components.js';
import type { Application, DocumentedRoute } from './application.js';
import { functionOperations } from './operation/function.operations.js';
import { KindNames } from './names.js';
import { escapeMarkdown, type PathItem, type PlacedOperation, type OpenApiTag } from './openapi.js';
import { sharedOperation, operationOf, tagOfKind, linkTypeOperations } from './operation/operation.js';
import { documentedPath } from './operation/parameters.js';
import { typesWithValues } from './schema/link.schema.js';
import { SharedValues } from './schema/value.schema.js';
import { isShown, isShownOf, readableLinkTypes, type DocumentInput, type DocumentView } from './view.js';
import { jsonText } from '../../shared/large-json.js';
import { LIMITS } from '../../shared/limits.js';
import { runYielding } from '../../shared/work-in-pieces.js';

interface DocumentInfo {
  /** The URL of the service. */
  readonly url: string;
  readonly title: string;
  readonly description: string;
  readonly version: string;
}

const GENERIC_CALLER: MemberCaller = { type: 'member', id: '', kindId: ADMIN_KIND, sessionId: '', admin: true };

/** The generic document: built-in kinds, and paths with `{kind_id}` for all others. */
export function genericDocument(
  application: Application,
  info: DocumentInfo,
  chosen?: ReadonlySet<string>,
): Promise<Buffer<ArrayBuffer>> {
  const model = buildModel({ ...builtInRecords(), version: 0 });
  const nothing = { functions: () => [], fills: () => new Set<string>(), lacks: () => false };
  return documentOf(
    { application, model, caller: GENERIC_CALLER, generic: true, project: '', chosen, ...nothing },
    info,
  );
}

/** @throws KindError 413 if it would be too large */
export async function documentOf(input: DocumentInput, info: DocumentInfo): Promise<Buffer<ArrayBuffer>> {
  const routes = await shownRoutes(input);
  const kinds = [...routes.keys()];
  checkChosen(input, kinds);
  const linkTypes = input.generic ? [] : typesWithValues(readableLinkTypes(input) ?? [], input);
  const names = new KindNames(
    kinds.map(({ id }) => id),
    Object.keys(TAGS),
    linkTypes.map(({ id }) => id),
  );
  const view: DocumentView = { ...input, kinds, routes, names, linkTypes, values: new SharedValues() };
  const text = new DocumentText();
  text.open();
  for (const [key, value] of Object.entries(documentHead(input, info))) await text.add(key, value);
  const tags = await writePaths(text, view);
  await writeComponents(text, view);
  await text.add('tags', documentTags(view, tags));
  text.close();
  return text.bytes();
}

function documentHead({ application }: DocumentInput, { url, ...info }: DocumentInfo): object {
  return { ...application.frame, info: { ...application.frame.info, ...info }, servers: [{ url }] };
}

/** The kinds with at least one visible operation, and their routes. Other kinds are not mentioned. */
export async function shownRoutes(input: DocumentInput): Promise<Map<KindDef, ReadonlySet<DocumentedRoute>>> {
  const yielder = new EventLoopYield();
  const shown = new Map<KindDef, ReadonlySet<DocumentedRoute>>();
  for (const kind of input.model.kinds.values()) {
    const isOf = (route: DocumentedRoute) => isShownOf(route, kind, input) && !hasMoreSpecificRoute(route, kind, input);
    const routes = new Set(input.application.routes.filter(isOf));
    if (routes.size > 0 || input.functions(kind).length > 0) shown.set(kind, routes);
    if (yielder.due) await yielder.pause();
  }
  return shown;
}

/** As in the service, a more specific route has precedence: `/kind/struct` is not the struct of a kind's units. */
function hasMoreSpecificRoute(route: DocumentedRoute, kind: KindDef, { application }: DocumentInput): boolean {
  const isNarrower = ({ of, method, path }: DocumentedRoute) =>
    (!of || of === 'contents') && method === route.method && path === documentedPath(route, kind);
  const mayHave = kind.builtIn || kind.traits.extensible === true;
  return mayHave && route.of !== 'contents' && application.routes.some(isNarrower);
}

/** Kinds that are not visible are reported as unknown. @throws KindError 400 */
function checkChosen({ chosen }: DocumentInput, shown: readonly KindDef[]): void {
  const ids = new Set(shown.map(({ id }) => id));
  const faults = new Faults();
  for (const id of chosen ?? []) {
    if (ids.has(id)) continue;
    faults.add('query.bad_value', `kinds: no kind '${shortened(id)}'${faults.hint(id, ids)}`, { parameter: 'kinds' });
  }
  faults.throwIfAny();
}

/** Whether a kind has operations of its own, beside those shared by all kinds. */
function hasOwnOperations(kind: KindDef, { routes, functions }: DocumentView): boolean {
  return [...(routes.get(kind) ?? [])].some(({ joint }) => !joint) || functions(kind).length > 0;
}

/** Writes the paths and returns the tags of their operations. */
async function writePaths(text: DocumentText, view: DocumentView): Promise<ReadonlySet<string>> {
  const tags = new Set<string>();
  text.open('paths');
  for (const operations of operationsOf(view)) {
    for (const [path, item] of itemsOf(operations)) {
      for (const operation of Object.values(item)) tags.add(operation.tags[0]);
      await text.add(path, item);
    }
  }
  text.close();
  return tags;
}

/** Yields the operations so that those with the same path are together. */
function* operationsOf(view: DocumentView): Generator<readonly PlacedOperation[]> {
  const { routes } = view.application;
  const [ofNone, ofKinds] = [routes.filter(({ of }) => !of), routes.filter(({ of }) => of)];
  yield ofNone.filter((route) => isShown(route, undefined, view)).map((route) => operationAt(route, undefined, view));
  // The kind of contents stands below with its own operations.
  if (view.generic)
    yield ofKinds.filter(({ of }) => of !== 'contents').map((route) => operationAt(route, undefined, view));
  else {
    yield ofKinds.flatMap((route) => (route.joint ? sharedOperation(route, view) : []));
    yield ofKinds.flatMap((route) => linkTypeOperations(route, view));
  }
  const ofOne = ofKinds.filter(({ joint }) => !joint);
  for (const kind of view.kinds) {
    if (view.chosen && !view.chosen.has(kind.id)) continue;
    const own = ofOne
      .filter((route) => view.routes.get(kind)?.has(route))
      .map((route) => operationAt(route, kind, view));
    yield [...own, ...functionOperations(kind, view)];
  }
}

function operationAt(route: DocumentedRoute, kind: KindDef | undefined, view: DocumentView): PlacedOperation {
  const path = documentedPath(route, kind);
  return { path, method: route.method, operation: operationOf(route, path, kind, view) };
}

function itemsOf(operations: readonly PlacedOperation[]): Map<string, PathItem> {
  const items = new Map<string, PathItem>();
  for (const { path, method, operation } of operations) {
    items.set(path, { ...items.get(path), [method]: operation });
  }
  return items;
}

async function writeComponents(text: DocumentText, view: DocumentView): Promise<void> {
  const components = componentsOf(view);
  text.open('components');
  for (const section of SECTIONS) {
    text.open(section);
    // Components that are referred to by a component are added to the set during the loop.
    for (const name of text.used[section]) await text.add(name, components[section](name));
    text.close();
  }
  await text.add('securitySchemes', view.application.securitySchemes);
  text.close();
}

/**
 * The tags of the written operations; with `?kinds=`, the tags of all kinds, so that others can be chosen. Tags of the
 * project's kinds come first.
 */
function documentTags(view: DocumentView, written: ReadonlySet<string>): OpenApiTag[] {
  const labels = new Map<string, string>(Object.entries(TAGS));
  const kinds = new Map<string, string[]>();
  for (const kind of view.kinds.filter((each) => hasOwnOperations(each, view))) {
    const name = tagOfKind(kind, view);
    if (!labels.has(name)) labels.set(name, escapeMarkdown(kind.label));
    kinds.set(name, [...(kinds.get(name) ?? []), kind.id]);
  }
  const all = view.chosen ? new Set([...written, ...kinds.keys()]) : written;
  const own = view.kinds
    .filter(({ builtIn }) => !builtIn)
    .map((kind) => tagOfKind(kind, view))
    .filter((name) => !(name in TAGS));
  return [...new Set(['Authentication', ...own, ...Object.keys(TAGS), ...all])]
    .filter((name) => all.has(name))
    .map((name) => {
      const ids = kinds.get(name);
      return { name, description: labels.get(name) ?? name, ...(ids && { 'x-kinds': ids }) };
    });
}

/** A `$ref` in JSON text. Inside texts of users it does not match, because their quotes are escaped. */
const REFERENCE = /"\$ref":"#\/components\/(responses|parameters|schemas|headers)\/([^"]+)"/g;
const CHUNK = 256 * 1024;

class DocumentText {
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
