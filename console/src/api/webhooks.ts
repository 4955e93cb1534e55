/** Webhooks and what was sent by them. All functions throw `ApiError`. */
import { session } from './session.js';
import type { Page, Unit } from './types.js';
import { createUnit, getUnit, listUnits, updateUnit } from './units.js';

export interface Webhook extends Unit {
  readonly label: string;
  readonly url: string;
  readonly kinds: readonly string[] | null;
  readonly filter: string | null;
  readonly active: boolean;
  readonly state: 'ok' | 'paused';
  readonly reason: string | null;
  readonly delivered_at: string | null;
  readonly waiting: number;
  readonly hint: string | null;
}

type Code = 'connect' | 'tls' | 'timeout' | 'dns' | 'address' | 'redirect' | 'status' | 'lost';

interface Attempt {
  readonly at: string;
  readonly status: number | null;
  readonly code: Code | null;
}

export interface Delivery {
  readonly id: string;
  readonly type: string;
  readonly kind_id: string;
  readonly unit_id: string;
  readonly state: 'waiting' | 'held' | 'delivered' | 'failed';
  readonly attempts: readonly Attempt[];
  readonly next_at: string | null;
}

/** What a ping answers. */
export interface Ping extends Pick<Attempt, 'status' | 'code'> {
  readonly delivered: boolean;
  readonly milliseconds: number;
}

/** More than a project has. */
const MOST_WEBHOOKS = 100;
/** The latest deliveries that are shown. */
const MOST_DELIVERIES = 100;

export async function listWebhooks(): Promise<readonly Webhook[]> {
  const query = { order: ['id;asc'], cursor: '', limit: MOST_WEBHOOKS };
  return (await listUnits('webhook', query)).items as readonly Webhook[];
}

export async function getWebhook(id: string): Promise<Webhook> {
  return (await getUnit('webhook', id)) as unknown as Webhook;
}

/** What is said of a new one. */
export type WebhookSettings = Pick<Webhook, 'label' | 'url' | 'kinds' | 'filter'>;

/** Answers the secret, which is told this one time. */
export async function createWebhook(settings: WebhookSettings): Promise<string> {
  return (await createUnit('webhook', settings))['secret'] as string;
}

export async function setActive(id: string, active: boolean): Promise<void> {
  await updateUnit('webhook', id, { active });
}

const pathOf = (id: string, ...more: readonly string[]) => ['webhook', 'unit', id, ...more];

/** The new secret, which is told this one time. */
export async function rotateSecret(id: string): Promise<string> {
  const { content } = await session.call<{ secret: string }>({ method: 'POST', path: pathOf(id, 'rotate') });
  return content.secret;
}

export async function ping(id: string): Promise<Ping> {
  return (await session.call<Ping>({ method: 'POST', path: pathOf(id, 'ping') })).content;
}

export async function listDeliveries(id: string): Promise<Page<Delivery>> {
  const query = { limit: String(MOST_DELIVERIES) };
  return (await session.call<Page<Delivery>>({ path: pathOf(id, 'delivery'), query })).content;
}

export async function sendAgain(id: string, delivery: string): Promise<void> {
  await session.call({ method: 'POST', path: pathOf(id, 'delivery', delivery, 'retry') });
}
