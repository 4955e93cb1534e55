/** What a webhook says: its faults, and which changes it is for. Pure. */
import { grantOf } from '../access/access.js';
import { planFeed, type FeedPlan } from '../changes/feed.plan.js';
import { EMPTY_QUERY } from '../filter/queries.js';
import { parseFilter } from '../filter/filter.parser.js';
import type { Parsed } from '../http/route/parse-list-query.js';
import type { FeedQuery } from '../changes/feed.query.js';
import { ADMIN_KIND } from '../model/built-in-traits.js';
import type { KindDef, Model } from '../model/model.js';
import type { Opened } from '../run/command.js';
import { Faults, KindError, type ErrorCode } from '../shared/errors.js';
import { isPlainObject, typeName, type Json } from '../shared/json.js';
import { LIMITS } from '../shared/limits.js';
import { didYouMean, shortened } from '../shared/texts.js';
import { memberCaller, type MemberCaller } from '../tenancy/caller.js';
import { urlFault, type UrlRules } from './webhook-url.js';

/** The settings of a webhook that decide what is sent to whom. */
export interface HookSettings {
  /** Null only where it is missing, which is told elsewhere. */
  readonly url: string | null;
  readonly kinds: readonly string[] | null;
  readonly operations: readonly string[];
  readonly filter: string | null;
  readonly headers: unknown;
}

const ADMINISTRATOR = memberCaller('00000000-0000-0000-0000-000000000000', ADMIN_KIND);

/** Whose rights decide what is sent. */
export function receiverOf(member: string | null, kind: string | undefined): MemberCaller {
  return member === null || kind === undefined ? ADMINISTRATOR : memberCaller(member, kind);
}

/** Adds what is wrong with the settings of a webhook. @param opened with whose rights decide what is sent */
export function checkSettings(settings: HookSettings, opened: Opened, rules: UrlRules, faults: Faults): void {
  const fault = typeof settings.url === 'string' ? urlFault(settings.url, rules) : undefined;
  if (fault !== undefined) faults.add('webhook.address', `url: ${fault}`, { parameter: 'url' });
  checkHeaders(settings.headers, faults);
  if (settings.operations.length === 0) {
    const text = 'operations: must name at least one, such as create; without the parameter all are sent but links';
    faults.add('parameter.bad_value', text, { parameter: 'operations' });
  }
  const before = faults.messages.length;
  checkKinds(settings, opened.model, faults);
  if (settings.filter === null || faults.messages.length > before) return;
  try {
    planHook(settings, opened);
  } catch (error) {
    if (!(error instanceof KindError)) throw error;
    for (const { code, text } of error.messages) {
      const named = text.startsWith('filter') ? text : `filter: ${text}`;
      faults.add(error.status === 400 ? code : 'parameter.bad_value', named, { parameter: 'filter' });
    }
  }
}

function checkKinds({ kinds, filter }: HookSettings, model: Model, faults: Faults): void {
  const bad = (code: ErrorCode, text: string): void => faults.add(code, text, { parameter: 'kinds' });
  for (const [at, id] of (kinds ?? []).entries()) {
    const kind = model.kinds.get(id);
    if (!kind || kind.traits.sealed) {
      const hint = didYouMean(id, model.kinds.keys());
      bad('parameter.bad_value', `kinds[${at}]: no kind '${shortened(id)}' in this project${hint}`);
    } else if (kind.changes === 'none') {
      bad('changes.off', `kinds[${at}]: the changes of '${id}' are not recorded; its setting changes is 'none'`);
    }
  }
  if (kinds?.length === 0) bad('parameter.bad_value', 'kinds: must name a kind, or be null for all that are recorded');
  if (filter !== null && kinds?.length !== 1) {
    faults.add('parameter.bad_value', 'filter: needs exactly one kind in kinds', { parameter: 'filter' });
  }
}

/** Names of headers that a webhook may not set. */
const OWN_HEADERS =
  /^(?:host|connection|user-agent|transfer-encoding|te|trailer|upgrade|keep-alive|expect|content-.*|webhook-.*|proxy-.*)$/i;
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
/** What a header can have: visible characters of ASCII and spaces between them. */
const HEADER_VALUE = /^[!-~](?:[ -~]*[!-~])?$/;

function checkHeaders(headers: unknown, faults: Faults): void {
  const bad = (text: string): void => faults.add('parameter.bad_value', text, { parameter: 'headers' });
  if (!isPlainObject(headers)) return bad(`headers: must be an object of names and values, got ${typeName(headers)}`);
  const entries = Object.entries(headers);
  const { webhookHeaders: most, webhookHeaderLength: length } = LIMITS;
  if (entries.length > most) bad(`headers: at most ${most}, got ${entries.length}`);
  const names = new Set<string>();
  for (const [name, value] of entries) {
    const place = `headers.${shortened(name)}`;
    if (!HEADER_NAME.test(name)) bad(`${place}: is no name of a header`);
    else if (OWN_HEADERS.test(name)) bad(`${place}: is set by the service`);
    else if (names.has(name.toLowerCase())) bad(`${place}: is there twice`);
    names.add(name.toLowerCase());
    if (value === null) continue;
    if (typeof value !== 'string') bad(`${place}: must be a string, got ${typeName(value)}`);
    else if (value.length > length || !HEADER_VALUE.test(value)) {
      bad(`${place}: must be 1 to ${length} visible characters of ASCII, or spaces between them`);
    }
  }
}

/** The kinds that it is for and that whose rights decide may read. */
function kindsOf({ kinds }: HookSettings, { model, caller }: Opened): readonly KindDef[] {
  const named = kinds ? kinds.flatMap((id) => model.kinds.get(id) ?? []) : [...model.kinds.values()];
  return named.filter((kind) => kind.changes !== 'none' && grantOf(kind, 'read', caller, model) !== undefined);
}

/** The same changes as of a feed. @throws KindError for a filter that is not, or no longer, possible */
export function planHook(settings: HookSettings, opened: Opened): FeedPlan {
  const faults = new Faults();
  const list = { ...EMPTY_QUERY, filter: filterOf(settings, faults) };
  faults.throwIfAny();
  const query: FeedQuery = {
    list,
    kinds: settings.kinds ?? ['*'],
    operations: new Set(settings.operations),
    since: undefined,
    limit: 1,
    wait: 0,
  };
  const parsed: Parsed<FeedQuery> = { query, faults: [] };
  return planFeed(opened, kindsOf(settings, opened), parsed);
}

function filterOf({ filter }: HookSettings, faults: Faults) {
  if (filter === null) return undefined;
  try {
    return parseFilter(filter);
  } catch (error) {
    if (!(error instanceof KindError)) throw error;
    faults.addAllOf('filter', error);
    return undefined;
  }
}

/** The kinds that it names and that are gone or no longer recorded. */
export function missingKinds({ kinds }: Pick<HookSettings, 'kinds'>, model: Model): readonly string[] {
  return (kinds ?? []).filter((id) => (model.kinds.get(id)?.changes ?? 'none') === 'none');
}

/** The headers as they are stored and shown: without their values. */
export function hiddenHeaders(headers: Readonly<Record<string, unknown>>): Readonly<Record<string, Json>> {
  return Object.fromEntries(Object.keys(headers).map((name) => [name, null]));
}
