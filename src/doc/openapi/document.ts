/**
 * Renders the API document, generic or of a project for one caller, in parts, so that a large one does not block other
 * requests.
 */
import { TAGS } from '../../http/route/api-route.js';
import { builtInRecords, buildModel } from '../../model/build/build-model.js';
import type { KindDef } from '../../model/model.js';
import { ADMIN_KIND } from '../../model/built-in-traits.js';
import { EventLoopYield } from '../../shared/event-loop-yield.js';
import { Faults } from '../../shared/errors.js';
import { shortened } from '../../shared/shortened.js';
import type { MemberCaller } from '../../tenancy/caller.js';
import { componentsOf } from './components.js';
import { DocumentText, SECTIONS } from './document.text.js';
import type { Application } from './application.js';
import { functionOperations } from './operation/function.operations.js';
import { KindNames } from './names.js';
import { escapeMarkdown, type PathItem, type PlacedOperation, type OpenApiTag } from './openapi.js';
import { sharedOperation, operationOf, tagOfKind } from './operation/operation.js';
import { linkTypeOperations } from './operation/link-type.operations.js';
import { documentedPath } from './operation/path.parameters.js';
import type { DocumentedRoute } from './route.js';
import { typesWithValues } from './schema/link.schema.js';
import { SharedValues } from './schema/shared.values.js';
import { isShown, isShownOf, readableLinkTypes, type DocumentInput, type DocumentView } from './view.js';

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
  const nothing = { functions: () => [], mayMake: () => false, lacks: () => false };
  return documentOf({ application, model, caller: GENERIC_CALLER, generic: true, chosen, ...nothing }, info);
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
async function shownRoutes(input: DocumentInput): Promise<Map<KindDef, ReadonlySet<DocumentedRoute>>> {
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
    !of && method === route.method && path === documentedPath(route, kind);
  return kind.builtIn && application.routes.some(isNarrower);
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
  if (view.generic) yield ofKinds.map((route) => operationAt(route, undefined, view));
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
  const own = view.kinds.filter(({ builtIn }) => !builtIn).map((kind) => tagOfKind(kind, view));
  return [...new Set(['Authentication', ...own, ...Object.keys(TAGS), ...all])]
    .filter((name) => all.has(name))
    .map((name) => {
      const ids = kinds.get(name);
      return { name, description: labels.get(name) ?? name, ...(ids && { 'x-kinds': ids }) };
    });
}
