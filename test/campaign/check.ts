/** Compares what is stored with the ledger of a round, and repeats writes with their idempotency keys. */
import { isAnswer, shown, type Client } from './client.js';
import type { Entry } from './load.js';
import { kindOf, parametersOf, RAISE, type Traces, type Write } from './writes.js';

/** Stored writes that are sent again in each round; unknown ones all are. */
const REPEATED = 8;

export interface Checked {
  readonly faults: string[];
  readonly stored: number;
  readonly absent: number;
  /** Of writes of which it was not known: how many were there. */
  readonly unknown: number;
  readonly unknownStored: number;
  readonly repeated: number;
}

type Named = keyof Traces;

export async function checkRound(client: Client, round: number, entries: readonly Entry[]): Promise<Checked> {
  const faults: string[] = [];
  const before = await tracesOf(client, round, entries, faults);
  const unknown = entries.filter(({ stored }) => stored === 'unknown');
  let unknownStored = 0;
  for (const { write, stored } of entries) {
    const there = before.get(write.tag) ?? {};
    const [isDone, isUndone] = [fits(there, write.done), fits(there, write.undone)];
    const right = stored === 'stored' ? isDone : stored === 'absent' ? isUndone : isDone || isUndone;
    if (!right) faults.push(`${write.name} ${write.tag}: ${stored}, but there is ${JSON.stringify(there)}`);
    if (stored === 'unknown' && isDone) unknownStored += 1;
  }
  await checkCounts(client, faults);
  const known = entries.filter(({ stored, write }) => stored === 'stored' && write.name !== 'import');
  const again = [...unknown.filter(({ write }) => write.name !== 'import'), ...known.slice(-REPEATED)];
  for (const entry of again)
    await repeat(client, entry, fits(before.get(entry.write.tag) ?? {}, entry.write.done), faults);
  const after = await tracesOf(client, round, entries, faults);
  for (const { write } of again) {
    const there = after.get(write.tag) ?? {};
    if (!fits(there, write.done)) faults.push(`${write.name} ${write.tag}, sent again: ${JSON.stringify(there)}`);
  }
  await checkCounts(client, faults);
  const count = (wanted: Entry['stored']) => entries.filter(({ stored }) => stored === wanted).length;
  return {
    faults,
    stored: count('stored'),
    absent: count('absent'),
    unknown: unknown.length,
    unknownStored,
    repeated: again.length,
  };
}

function fits(there: Traces, wanted: Traces): boolean {
  return (Object.keys(wanted) as Named[]).every((name) => (there[name] ?? 0) === wanted[name]);
}

/** The same request again: the same answer if the write was stored, else it is done now. */
async function repeat(client: Client, { write, content }: Entry, wasDone: boolean, faults: string[]): Promise<void> {
  const answer = await client.send(write.request);
  const where = `${write.name} ${write.tag}, sent again`;
  if (!isAnswer(answer) || answer.status !== 200) return void faults.push(`${where} → ${shown(answer)}`);
  const replayed = answer.headers['idempotency-replayed'] === 'true';
  if (replayed !== wasDone) faults.push(`${where}: ${replayed ? 'replayed' : 'done again'}`);
  if (content !== undefined && JSON.stringify(content) !== JSON.stringify(answer.body?.content)) {
    faults.push(`${where}: another answer than before: ${shown(answer)}`);
  }
}

interface Listed {
  readonly id: string;
  readonly tag: string;
  readonly n: number;
  readonly marks: readonly string[] | null;
  readonly total: number;
  readonly links?: { readonly parent?: Record<string, number>; readonly child?: Record<string, number> };
}

async function tracesOf(
  client: Client,
  round: number,
  entries: readonly Entry[],
  faults: string[],
): Promise<Map<string, Traces>> {
  const traces = new Map<string, Record<Named, number>>();
  const add = (tag: string, name: Named, more = 1): void => {
    const of = traces.get(tag) ?? { items: 0, notes: 0, marks: 0, raised: 0, links: 0, kinds: 0 };
    traces.set(tag, { ...of, [name]: of[name] + more });
  };
  const [items, notes, journals] = await Promise.all([
    listed(client, `/item/unit?filter=eq(round,${round})&include=[id,tag,n]&load_links=count`),
    listed(client, `/note/unit?filter=eq(round,${round})&include=[id,tag]`),
    listed(client, `/journal/unit?filter=eq(round,${round})&include=[id,marks,total]`),
  ]);
  let [down, up] = [0, 0];
  for (const { tag, n, links } of items) {
    add(tag, 'items');
    add(tag, 'raised', Math.floor(n / RAISE));
    const children = links?.child?.['about'] ?? 0;
    add(tag, 'links', children);
    down += children;
    up += links?.parent?.['about'] ?? 0;
  }
  if (down !== up) faults.push(`links: ${down} to children, ${up} to parents`);
  for (const { tag } of notes) add(tag, 'notes');
  for (const { id, marks, total } of journals) {
    for (const tag of marks ?? []) add(tag, 'marks');
    if ((marks ?? []).length !== total) faults.push(`journal ${id}: ${(marks ?? []).length} marks, but total ${total}`);
  }
  for (const { write } of entries) if (isDefinition(write)) add(write.tag, 'kinds', await kindThere(client, write.tag));
  return traces;
}

function isDefinition({ name }: Write): boolean {
  return name === 'define' || name === 'undefine';
}

/** 1 if the kind can be used, 0 if there is nothing of it, and a fraction otherwise. */
async function kindThere(client: Client, tag: string): Promise<number> {
  const answers = await Promise.all([
    client.send({ method: 'GET', path: `/kind/unit/${kindOf(tag)}` }),
    client.send({
      method: 'GET',
      path: `/${kindOf(tag)}/unit?include=[${parametersOf(tag)
        .map(([, id]) => id)
        .join()}]`,
    }),
  ]);
  return answers.filter(({ status }) => status === 200).length / answers.length;
}

/** All pages of a list. */
export async function listed<Unit = Listed>(client: Client, path: string): Promise<Unit[]> {
  const found: Unit[] = [];
  let cursor = '';
  for (;;) {
    const page = (await client.ok({ method: 'GET', path: `${path}&limit=1000&cursor=${cursor}` })) as {
      items: Unit[];
      next: string | null;
    };
    found.push(...page.items);
    if (page.next === null) return found;
    cursor = encodeURIComponent(page.next);
  }
}

/** The kept numbers of units are those of the units. */
async function checkCounts(client: Client, faults: string[]): Promise<void> {
  for (const kind of ['item', 'note', 'journal']) {
    const count = async (query: string) => {
      return ((await client.ok({ method: 'GET', path: `/${kind}/unit?limit=0${query}` })) as { count: number }).count;
    };
    const [kept, counted] = [await count(''), await count('&filter=not(isnull(round))')];
    if (kept !== counted) faults.push(`${kind}: the kept count is ${kept}, but there are ${counted}`);
  }
}

/** Removes what a round has left, so that the next ones are as fast. */
export async function clearRound(client: Client, round: number): Promise<void> {
  for (const kind of ['note', 'item', 'journal']) {
    const filter = `filter=eq(round,${round})&max_affected=100000`;
    await client.ok({ method: 'DELETE', path: `/${kind}/unit?${filter}` });
  }
  await removeDefinitions(client, 'kind', 'k_');
  await removeDefinitions(client, 'string', 'a_');
  await removeDefinitions(client, 'integer', 'b_');
}

async function removeDefinitions(client: Client, kind: string, begins: string): Promise<void> {
  const path = `/${kind}/unit?filter=startswith(id,${begins})&include=id&limit=1000`;
  const { items } = (await client.ok({ method: 'GET', path })) as { items: { id: string }[] };
  for (const { id } of items) await client.ok({ method: 'DELETE', path: `/${kind}/unit/${id}?cascade=true` });
}
