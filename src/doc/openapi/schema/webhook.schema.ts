/** Schemas of deliveries of webhooks. Pure. */
import { SEND_CODES } from '../../../model/webhook-codes.js';
import { LIMITS } from '../../../shared/limits.js';
import { objectSchema, type Schema } from '../openapi.js';
import { orNull } from './value.schema.js';

const STRING: Schema = { type: 'string' };
const TIME: Schema = { type: 'string', format: 'date-time' };

const STATUS: Schema = { type: ['integer', 'null'], description: 'That of the answer; null without one.' };
const CODE: Schema = {
  ...orNull({ type: 'string', enum: [...SEND_CODES] }),
  description: 'Why it failed; null if it was delivered.',
};

const ATTEMPT = objectSchema({
  at: TIME,
  status: STATUS,
  milliseconds: { type: ['integer', 'null'], minimum: 0, description: 'null if its process has ended.' },
  code: CODE,
});

const DELIVERY: Readonly<Record<string, Schema>> = {
  id: { ...STRING, format: 'uuid' },
  webhook_id: { ...STRING, description: 'The header `webhook-id`, the same in every attempt.' },
  type: STRING,
  kind_id: STRING,
  unit_id: { ...STRING, description: 'Of a link, its parent.' },
  version: { type: 'integer', minimum: 0 },
  state: {
    type: 'string',
    enum: ['waiting', 'held', 'delivered', 'failed'],
    description: '`held`: an earlier one of its unit comes first. `failed`: for good.',
  },
  attempts: { type: 'array', items: ATTEMPT },
  next_at: { ...orNull(TIME), description: 'When the next attempt is due.' },
};

export const WEBHOOK_SCHEMAS: Readonly<Record<string, Schema>> = {
  kind_webhook_headers: {
    type: 'object',
    additionalProperties: { type: ['string', 'null'], maxLength: LIMITS.webhookHeaderLength },
    maxProperties: LIMITS.webhookHeaders,
    description: 'Values are answered as null, which keeps a stored one.',
  },
  kind_webhook_ping: objectSchema({
    delivered: { type: 'boolean' },
    status: STATUS,
    milliseconds: { type: 'integer', minimum: 0 },
    code: CODE,
  }),
  kind_webhook_secret: objectSchema({ id: STRING, secret: { ...STRING, description: 'It is not shown again.' } }),
  kind_webhook_delivery: objectSchema({
    ...DELIVERY,
    body: { ...orNull(STRING), description: 'What is sent; null before the first attempt.' },
  }),
  kind_webhook_deliveries: objectSchema({
    count: { type: 'integer', minimum: 0 },
    items: { type: 'array', items: objectSchema(DELIVERY) },
  }),
};
