/** What webhooks keep encrypted: the secrets that sign, and the values of headers. */
import { Injectable } from '@nestjs/common';
import { WEBHOOK_KIND } from '../model/built-in-traits.js';
import { SEALED_HEADERS, SEALED_SECRETS } from '../model/built-in/webhook-fields.js';
import { SecretBox } from '../shared/secret-box.js';
import type { HookRow } from '../sql/webhook/webhook.sql.js';

/** A secret that signs, and when it stops to, in milliseconds since 1970. */
interface HookSecret {
  readonly secret: string;
  readonly until?: number;
}

type Values = Readonly<Record<string, string>>;

/** Milliseconds for which the former secret signs too after a rotation. */
const ROTATION = 24 * 3600_000;

/** A webhook of a project. */
interface HookPlace {
  readonly project: string;
  readonly id: string;
}

@Injectable()
export class HookSecrets {
  constructor(private readonly box: SecretBox) {}

  sealSecrets(of: HookPlace, secrets: readonly HookSecret[]): string {
    return this.box.seal(JSON.stringify(secrets), placeOf(of, SEALED_SECRETS));
  }

  /** Those that sign now, the newest first; undefined if they cannot be read. */
  secretsOf(project: string, { id, secrets }: HookRow, now = Date.now()): readonly HookSecret[] | undefined {
    const text = secrets === null ? undefined : this.box.open(secrets, placeOf({ project, id }, SEALED_SECRETS));
    if (text === undefined) return undefined;
    return (JSON.parse(text) as HookSecret[]).filter(({ until = Infinity }) => until > now);
  }

  sealHeaders(of: HookPlace, values: Values): string {
    return this.box.seal(JSON.stringify(values), placeOf(of, SEALED_HEADERS));
  }

  /** Undefined if they cannot be read. */
  headersOf(project: string, { id, header_values: values }: HookRow): Values | undefined {
    if (values === null) return {};
    const text = this.box.open(values, placeOf({ project, id }, SEALED_HEADERS));
    return text === undefined ? undefined : (JSON.parse(text) as Values);
  }
}

/** A new secret with the latest of the former ones: both sign for a while. */
export function rotated(secret: string, former: readonly HookSecret[], now = Date.now()): readonly HookSecret[] {
  const [latest] = former;
  return latest ? [{ secret }, { secret: latest.secret, until: now + ROTATION }] : [{ secret }];
}

function placeOf({ project, id }: HookPlace, field: string): readonly string[] {
  return [project, WEBHOOK_KIND, id, field];
}
