/**
 * The writes of a load. Each leaves traces that can be counted, all of them or none, and does so once: its idempotency
 * key and what it stores carry the same tag.
 */
import type { Client, Sent } from './client.js';
import type { Random } from './random.js';

/** How many of each carry a tag. `links`: from the units of the tag; `kinds`: a part of one is a fraction. */
export interface Traces {
  readonly items?: number;
  readonly notes?: number;
  readonly marks?: number;
  /** How often items of the tag were raised. */
  readonly raised?: number;
  readonly links?: number;
  readonly kinds?: number;
}

export interface Write {
  readonly name: WriteName;
  readonly tag: string;
  readonly request: Sent;
  /** What there is of the tag after the write, and without it. */
  readonly done: Traces;
  readonly undone: Traces;
}

/** Of one writer in one round. */
export interface WriterPlace {
  readonly client: Client;
  readonly round: number;
  /** The unit of kind `journal` that its edits mark. */
  readonly journal: string;
  readonly nextTag: () => string;
}

export const MODEL: readonly Sent[] = [
  post('/kind/unit', {
    id: 'item',
    changes: 'feed',
    parameters: [
      { id: 'tag', kind_id: 'string', indexed: true, required: true },
      { id: 'round', kind_id: 'integer', indexed: true, required: true },
      { id: 'n', kind_id: 'integer' },
    ],
  }),
  post('/kind/unit', {
    id: 'note',
    changes: 'feed',
    parameters: ['tag', 'round', { id: 'item', kind_id: 'unit', reference_kind: 'item', on_delete: 'cascade' }],
  }),
  post('/kind/unit', {
    id: 'journal',
    changes: 'feed',
    parameters: [
      'round',
      { id: 'marks', kind_id: 'string', multiple: true },
      { id: 'total', kind_id: 'integer', default_integer: 0 },
    ],
  }),
  post('/link/unit', { id: 'about' }),
];

const BULK = 20;
const IMPORTED = 150;
const LINKED = 5;
/** What an edit by a filter adds to each number. */
export const RAISE = 1000;

function post(path: string, body: unknown): Sent {
  return { method: 'POST', path, body };
}

/** What writers do: in a round some are drawn by these weights. */
const WEIGHTS = {
  single: 5,
  bulk: 3,
  nested: 2,
  import: 2,
  batch: 4,
  links: 3,
  edit: 4,
  raise: 3,
  delete: 3,
  define: 1,
  undefine: 1,
} as const;
export type WriteName = keyof typeof WEIGHTS;

const DRAWN = Object.entries(WEIGHTS).flatMap(([name, weight]) => Array<WriteName>(weight).fill(name as WriteName));

/** Some writes need stored units first; that fails while the service is away. @returns undefined then */
export async function randomWrite(place: WriterPlace, random: Random): Promise<Write | undefined> {
  const name = random.pick(DRAWN);
  const tag = place.nextTag();
  const made = await MAKERS[name](place, tag);
  if (!made) return undefined;
  const { request } = made;
  const keyed = name === 'import' ? request : { ...request, headers: { 'idempotency-key': tag, ...request.headers } };
  return { name, tag, ...made, request: keyed };
}

type Made = Pick<Write, 'request' | 'done' | 'undone'>;
type Maker = (place: WriterPlace, tag: string) => Made | Promise<Made | undefined>;

const items = (tag: string, round: number, count: number) => {
  return Array.from({ length: count }, (_, n) => ({ tag, round, n }));
};

const mark = (tag: string) => ({ marks: { $add: [tag] }, total: { $inc: 1 } });

const MAKERS: Readonly<Record<WriteName, Maker>> = {
  single: ({ round }, tag) => ({
    request: post('/item/unit', { tag, round, n: 0 }),
    done: { items: 1 },
    undone: { items: 0 },
  }),
  bulk: ({ round }, tag) => ({
    request: post('/item/unit', items(tag, round, BULK)),
    done: { items: BULK },
    undone: { items: 0 },
  }),
  nested: ({ round }, tag) => ({
    request: post('/note/unit', { tag, round, item: { tag, round, n: 0 } }),
    done: { items: 1, notes: 1 },
    undone: { items: 0, notes: 0 },
  }),
  import: ({ round }, tag) => ({
    request: {
      method: 'POST',
      path: '/item/import?format=ndjson',
      body: items(tag, round, IMPORTED)
        .map((each) => JSON.stringify(each))
        .join('\n'),
      headers: { 'content-type': 'application/x-ndjson' },
    },
    done: { items: IMPORTED },
    undone: { items: 0 },
  }),
  batch: ({ round, journal }, tag) => ({
    request: post('/batch', {
      operations: [
        { as: 'a', ...post('/item/unit', { tag, round, n: 1 }) },
        { as: 'b', ...post('/item/unit', { tag, round, n: 2 }) },
        post('/note/unit', { tag, round, item: { $from: 'a.id' } }),
        post('/item/unit/{a.id}/link/about/item/unit/{b.id}', undefined),
        { method: 'PUT', path: `/journal/unit/${journal}`, body: mark(tag) },
      ],
    }),
    done: { items: 2, notes: 1, links: 1, marks: 1 },
    undone: { items: 0, notes: 0, links: 0, marks: 0 },
  }),
  async links({ round, client }, tag) {
    const [parent = '', ...children] = await idsOf(client, post('/item/unit', items(tag, round, 1 + LINKED)));
    if (parent === '') return undefined;
    const body = { items: children.map((id) => ({ kind_id: 'item', id })) };
    return {
      request: post(`/item/unit/${parent}/link/about/child`, body),
      done: { items: 1 + LINKED, links: LINKED },
      undone: { items: 1 + LINKED, links: 0 },
    };
  },
  edit: ({ journal }, tag) => ({
    request: { method: 'PUT', path: `/journal/unit/${journal}`, body: mark(tag) },
    done: { marks: 1 },
    undone: { marks: 0 },
  }),
  async raise({ round, client }, tag) {
    if ((await idsOf(client, post('/item/unit', items(tag, round, LINKED)))).length === 0) return undefined;
    return {
      request: { method: 'PUT', path: `/item/unit?filter=eq(tag,${tag})`, body: { n: { $inc: RAISE } } },
      done: { items: LINKED, raised: LINKED },
      undone: { items: LINKED, raised: 0 },
    };
  },
  async delete({ round, client }, tag) {
    const [, first = ''] = await idsOf(client, post('/item/unit', items(tag, round, 2)));
    if (first === '') return undefined;
    const noted = await client.send(
      post(
        '/note/unit',
        [1, 2].map(() => ({ tag, round, item: first })),
      ),
    );
    if (noted.status !== 200) return undefined;
    return {
      request: { method: 'DELETE', path: `/item/unit/${first}?cascade=true` },
      done: { items: 1, notes: 0 },
      undone: { items: 2, notes: 2 },
    };
  },
  define: (_, tag) => ({ request: definition(tag), done: { kinds: 1 }, undone: { kinds: 0 } }),
  async undefine({ client }, tag) {
    if ((await client.send(definition(tag))).status !== 200) return undefined;
    return {
      request: { method: 'DELETE', path: `/kind/unit/${kindOf(tag)}?cascade=true` },
      done: { kinds: 0 },
      undone: { kinds: 1 },
    };
  },
};

export const kindOf = (tag: string): string => `k_${tag}`;
/** The parameters of such a kind. */
export const parametersOf = (tag: string): readonly (readonly [type: string, id: string])[] => [
  ['string', `a_${tag}`],
  ['integer', `b_${tag}`],
];

function definition(tag: string): Sent {
  const parameters = parametersOf(tag).map(([kind_id, id]) => ({ id, kind_id, indexed: true }));
  return post('/kind/unit', { id: kindOf(tag), parameters });
}

/** The ids of units that are made. */
async function idsOf(client: Client, sent: Sent): Promise<string[]> {
  const answer = await client.send(sent);
  if (answer.status !== 200 || !('body' in answer)) return [];
  return (answer.body?.content as { items: { id: string }[] }).items.map(({ id }) => id);
}
