/**
 * The audit log: who changed definitions, access, members, API keys and projects, when, and with which request. One line
 * of JSON for each change, right before its commit, in the log of the service or in a file of its own
 * (docs/adr/0011-audit-log.md). It contains no values of members, and no secrets.
 */
import { closeSync, fsyncSync, openSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import type { Logger } from 'pino';
import { ConfigError, type Config } from '../config/config.js';
import type { Json } from '../shared/json.js';
import type { CommitWitness, Transaction } from '../database/database.js';
import { isAnswerLost } from '../database/statement/sqlstate.js';
import type { RequestIds } from '../http/request/request-id.js';
import type { Caller } from './caller.js';

type AuditAction =
  | `${'project' | 'member' | 'api_key' | 'passkey' | 'identity' | 'identity_provider'}.${'created' | 'changed' | 'deleted'}`
  | 'definitions.changed'
  | 'member.email_changed'
  | 'member.email_verified'
  | 'member.password_set'
  | 'member.totp_on'
  | 'member.totp_off'
  | 'member.recovery_codes'
  | 'member.signed_out'
  | 'passkey.refused'
  | 'secret.dropped';

export interface AuditEntry {
  readonly action: AuditAction;
  readonly project: string;
  readonly caller: Caller;
  /** Undefined if no request asked for it. */
  readonly requestId: RequestIds | undefined;
  readonly details?: Readonly<Record<string, Json>>;
}

const ONLY_OWNER = 0o600;
/** Lines of one transaction; further changes are counted in one more. */
const MOST_LINES = 1000;

export class AuditLog {
  readonly #write: ((lines: readonly object[]) => void) | undefined;
  readonly #witness: CommitWitness<AuditEntry> = {
    before: (entries) => this.#record(entries),
    failed: (entries, error) => this.#record(entries, { stored: isAnswerLost(error) ? 'unknown' : false }),
  };

  /** @param isCommand whether the process runs a command @throws ConfigError if the file cannot be written */
  constructor(
    { auditLog }: Pick<Config, 'auditLog'>,
    private readonly logger: Logger,
    private readonly isCommand: boolean,
  ) {
    if (auditLog === 'log') {
      // Whatever level the other lines need.
      const channel = logger.child({ channel: 'audit' }, { level: 'info' });
      this.#write = (lines) => {
        for (const line of lines) channel.info(line, 'audit');
      };
    } else if (auditLog !== 'off') {
      append(auditLog.file, '');
      this.#write = (lines) => {
        const head = { time: new Date().toISOString(), channel: 'audit' };
        append(auditLog.file, lines.map((line) => `${JSON.stringify({ ...head, ...line })}\n`).join(''));
      };
    }
  }

  get isOn(): boolean {
    return this.#write !== undefined;
  }

  /**
   * Records a change right before its transaction is committed, so that none is stored without a line, whatever ends
   * the process. If it is not stored then, other lines say so. Without a transaction, at once.
   */
  record(entry: AuditEntry, tx?: Transaction): void {
    if (!this.isOn) return;
    if (!tx) return this.#record([entry]);
    tx.tellAtCommit(this.#witness, entry);
  }

  /** A line that cannot be written is an error of the log only. */
  #record(entries: readonly AuditEntry[], outcome: Readonly<Record<string, Json>> = {}): void {
    const lines = entries.slice(0, MOST_LINES).map((entry) => ({ ...this.#lineOf(entry), ...outcome }));
    const next = entries[MOST_LINES];
    if (next) lines.push({ ...this.#lineOf({ ...next, details: { more: entries.length - MOST_LINES } }), ...outcome });
    try {
      this.#write?.(lines);
    } catch (err) {
      this.logger.error({ err, lines }, 'lines of the audit log could not be written');
    }
  }

  #lineOf({ action, project, caller, requestId, details }: AuditEntry): object {
    const { own: request, sent } = requestId ?? {};
    const ids = { ...(request !== undefined && { request }), ...(sent !== undefined && { client_request: sent }) };
    return { action, project, by: this.#nameOf(caller), ...ids, ...details };
  }

  #nameOf(caller: Caller): Json {
    if (caller.type === 'member') {
      return { kind: caller.kindId, id: caller.id, ...(caller.key && { api_key: true }) };
    }
    if (caller.type === 'anonymous') return { anonymous: true };
    return this.isCommand ? { command: true, user: userInfo().username } : { service: true };
  }
}

/** Opened for each line, so that the file may be renamed at any time. The line is on disk when this returns. */
function append(file: string, line: string): void {
  let fd: number | undefined;
  try {
    fd = openSync(file, 'a', ONLY_OWNER);
    if (line === '') return;
    // All of it: `writeSync` may write a part, as on a disk that is nearly full.
    writeFileSync(fd, line);
    fsyncSync(fd);
  } catch (error) {
    const wanted = 'wants a file in a folder that is there and can be written, log, or off';
    throw new ConfigError(`AUDIT_LOG: got ${file}, ${wanted}: ${(error as Error).message}`);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
