/** The document: of no project, or of one as a caller sees it. Pure; a large one is made with pauses, so that it holds nobody up. */
import { grantOf } from '../../access/access.js';
import { builtInRecords, buildModel } from '../../model/build-model.js';
import { isMemberKind, type KindDef } from '../../model/model.js';
import { ADMIN_KIND } from '../../model/special.js';
import type { MemberCaller } from '../../tenancy/caller.js';
import { Breather } from '../../shared/breather.js';
import { isLinkable } from '../../unit/links.js';
import { ERROR_RESPONSES, HEADERS } from './error.responses.js';
import type { Framing, Particulars } from './frame.js';
import { plain, type OpenApiDocument, type PathItem, type Schema } from './openapi.js';
import { functionOperations } from './function.operations.js';
import { contextOf, hasRecord, hasRight, isShown, mayCreate, operationOf, type Seen, type View } from './operation.js';
import { pathOf, pathParameters } from './path.parameters.js';
import { KindNames, type SchemaForm } from './names.js';
import { CONDITIONS, QUERY_PARAMETERS } from './query.parameters.js';
import { TAGS, type Route } from './route.js';
import { ROUTES } from './routes.js';
import { SHARED_SCHEMAS } from './shared.schemas.js';
import { createSchema, recordSchema, updateSchema } from './unit.schema.js';
import { ComponentUse, type UsedComponents } from './component.use.js';

const SOMEBODY: MemberCaller = { type: 'member', id: '', kindId: ADMIN_KIND, sessionId: '', admin: true };

/** The document without a project: the built-in kinds, and paths with a `{kind_id}` for all others. */
export function genericDocument(frame: Framing, particulars: Particulars): Promise<OpenApiDocument> {
  const model = buildModel({ ...builtInRecords(), version: 0 });
  return documentOf(
    { model, caller: SOMEBODY, generic: true, functions: () => [], lacks: () => false },
    frame,
    particulars,
  );
}

export async function documentOf(seen: Seen, frame: Framing, particulars: Particulars): Promise<OpenApiDocument> {
  const kinds = [...seen.model.kinds.values()];
  const view = { ...seen, names: namesOf(seen, kinds) };
  const use = new ComponentUse(await componentsOf(view, kinds));
  const paths = await pathsOf(view, kinds, use);
  const { securitySchemes, ...head } = frame(particulars, tagsOf(paths, kinds, view));
  return { ...head, paths, components: { ...use.used(), securitySchemes } };
}

function namesOf(seen: Seen, kinds: readonly KindDef[]): KindNames {
  const named = kinds.filter((kind) => isNamed(kind, seen));
  return new KindNames(
    named.map(({ id }) => id),
    Object.keys(TAGS),
  );
}

/** Whether anything of a kind is shown to the caller: a name tells nobody that there is another one like it. */
function isNamed(kind: KindDef, seen: Seen): boolean {
  const shown = ROUTES.some(({ of, ...route }) => {
    return of !== undefined && SUBJECTS[of](kind) && isShown({ of, ...route }, kind, seen);
  });
  return shown || seen.functions(kind).length > 0;
}

type Tags = OpenApiDocument['tags'];

async function pathsOf(view: View, kinds: readonly KindDef[], use: ComponentUse): Promise<Record<string, PathItem>> {
  const paths = new Map<string, PathItem>();
  const breather = new Breather();
  for (const route of ROUTES) {
    for (const kind of subjectsOf(route, view, kinds)) {
      if (!isShown(route, kind, view)) continue;
      const path = pathOf(route, kind);
      // As in the service, the narrower route comes first: `/kind/struct` is not that of any kind.
      if (paths.get(path)?.[route.method]) continue;
      const operation = operationOf(route, path, kind, view);
      paths.set(path, { ...paths.get(path), [route.method]: operation });
      use.visit(operation);
      if (breather.due) await breather.pause();
    }
  }
  for (const { path, method, operation } of kinds.flatMap((kind) => functionOperations(kind, view))) {
    paths.set(path, { ...paths.get(path), [method]: operation });
    use.visit(operation);
  }
  return Object.fromEntries(paths);
}

/** The kinds of which a route has a path each; undefined stands for the path of no kind, or of any. */
function subjectsOf(route: Route, view: View, kinds: readonly KindDef[]): readonly (KindDef | undefined)[] {
  if (route.of === undefined) return [undefined];
  const { of } = route;
  const own = kinds.filter((kind) => SUBJECTS[of](kind));
  return view.generic ? [...own, undefined] : own;
}

const SUBJECTS: Readonly<Record<Exclude<Route['of'], undefined>, (kind: KindDef) => boolean>> = {
  all: () => true,
  linkable: isLinkable,
  members: isMemberKind,
  none: () => false,
};

async function componentsOf(view: View, kinds: readonly KindDef[]): Promise<UsedComponents> {
  const readable = kinds.filter((kind) => isLinkable(kind) && hasRecord(view, kind.id)).map(({ id }) => id);
  return {
    schemas: {
      ...SHARED_SCHEMAS,
      ...(view.generic && { kind_unit_body: ANY_BODY }),
      ...(await kindSchemas(view, kinds)),
    },
    responses: ERROR_RESPONSES,
    parameters: {
      ...pathParameters(view.generic ? undefined : { kinds: readable, linkTypes: linkTypesOf(view) }),
      ...QUERY_PARAMETERS,
      ...CONDITIONS,
    },
    headers: HEADERS,
  };
}

/** The link types, for who may see them all; undefined for others. */
function linkTypesOf({ model, caller }: View): readonly string[] | undefined {
  const kind = model.kinds.get('link');
  const grant = kind && grantOf(kind, 'read', caller, model);
  return grant && grant.predicate === undefined ? [...model.linkTypes.keys()] : undefined;
}

const ANY_BODY: Schema = {
  type: 'object',
  description: 'Parameter ids and their values. In place of the id of another unit an object creates that unit.',
  additionalProperties: true,
};

/** What is answered and what bodies take, of the kinds that the caller may use so. */
async function kindSchemas(view: View, kinds: readonly KindDef[]): Promise<Record<string, Schema>> {
  const context = contextOf(view);
  const breather = new Breather();
  const made = new Map<string, Schema>();
  for (const kind of kinds) {
    const add = (form: SchemaForm, schema: Schema) => made.set(view.names.schema(kind.id, form), schema);
    if (hasRecord(view, kind.id)) add('record', recordSchema(kind, context));
    if (mayCreate(view, kind.id)) add('create', createSchema(kind, context));
    if (kind.active && hasRight(view, kind, ['update'])) add('update', updateSchema(kind, context));
    if (breather.due) await breather.pause();
  }
  return Object.fromEntries(made);
}

function tagsOf(paths: Readonly<Record<string, PathItem>>, kinds: readonly KindDef[], { names }: View): Tags {
  const used = new Set(Object.values(paths).flatMap((item) => Object.values(item).map(({ tags: [tag] }) => tag)));
  const labels = new Map<string, string>(Object.entries(TAGS));
  for (const { id, label } of kinds) labels.set(names.tag(id), plain(label));
  // What is the project's own is looked for first.
  const own = kinds.flatMap(({ builtIn, id }) => (!builtIn && used.has(names.tag(id)) ? [names.tag(id)] : []));
  return [...new Set(['Authentication', ...own, ...used])].map((name) => ({
    name,
    description: labels.get(name) ?? name,
  }));
}
