import type { Delivery, Ping, Webhook } from '../api/webhooks.js';
import type { Text } from '../i18n/text.js';

/** What a webhook is called. */
export function nameOf({ id, label }: Pick<Webhook, 'id' | 'label'>): string {
  return label || id;
}

export function addressOfWebhook(id: string): string {
  return `/webhooks/${encodeURIComponent(id)}`;
}

/** Why an attempt failed; undefined if it did not. */
export function whyNot({ code, status }: Pick<Ping, 'code' | 'status'>, text: Text): string | undefined {
  return code === null ? undefined : text(`webhooks.codes.${code}`, { status: status ?? 0 });
}

/** The attempts of a delivery in their order: how each ended. */
export function attemptsText({ attempts }: Delivery, text: Text): string {
  return attempts.map((attempt) => whyNot(attempt, text) ?? String(attempt.status)).join(', ') || '–';
}
