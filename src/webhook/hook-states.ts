/** How webhooks are: when they delivered last, what waits, and what was lost. */
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Database } from '../database/database.js';
import {
  countFailureStatement,
  noteDeliveredStatement,
  noteLostStatement,
  pruneDeliveriesStatement,
} from '../sql/webhook/delivery.sql.js';
import type { HookRow } from '../sql/webhook/webhook.sql.js';
import type { Project } from '../tenancy/project.js';

/** Milliseconds in which changes of a webhook's state are written together. */
const TOGETHER = 500;
/** Writes of states between two looks for too many deliveries. */
const PRUNE_EVERY = 50;

interface Noted {
  readonly project: Project;
  readonly hookId: string;
  delivered: boolean;
  readonly timer: NodeJS.Timeout;
}

@Injectable()
export class HookStates implements OnModuleDestroy {
  readonly #noted = new Map<string, Noted>();
  #written = 0;

  constructor(private readonly database: Database) {}

  async onModuleDestroy(): Promise<void> {
    await Promise.all([...this.#noted.values()].map((noted) => this.#write(noted)));
  }

  async delivered(project: Project, { id, failures }: HookRow): Promise<void> {
    this.#note(project, id).delivered = true;
    if (failures > 0) await this.database.ofProject(project).run(countFailureStatement(project.schema, id, false));
  }

  /** What waits is counted again. */
  changed(project: Project, hookId: string): void {
    this.#note(project, hookId);
  }

  /** Counts an event that has failed for good. Returns how many have in a row. */
  async failed(project: Project, hookId: string): Promise<number> {
    const statement = countFailureStatement(project.schema, hookId, true);
    const [row] = await this.database.ofProject(project).run<{ failures: number }>(statement);
    return row?.failures ?? 0;
  }

  /** @param count of all kinds: which they were is no longer known */
  lost(project: Project, hookId: string, count: number): void {
    const statement = noteLostStatement(
      project.schema,
      hookId,
      `up to ${count} events were no longer kept, and are lost`,
    );
    this.database
      .ofProject(project)
      .run(statement)
      .catch(() => undefined);
  }

  #note(project: Project, hookId: string): Noted {
    const key = `${project.schema} ${hookId}`;
    const known = this.#noted.get(key);
    if (known) return known;
    const timer = setTimeout(() => void this.#write(noted), TOGETHER).unref();
    const noted: Noted = { project, hookId, delivered: false, timer };
    this.#noted.set(key, noted);
    return noted;
  }

  async #write({ project, hookId, delivered, timer }: Noted): Promise<void> {
    clearTimeout(timer);
    this.#noted.delete(`${project.schema} ${hookId}`);
    const executor = this.database.ofProject(project);
    try {
      await executor.run(noteDeliveredStatement(project.schema, hookId, delivered));
      this.#written += 1;
      if (this.#written % PRUNE_EVERY === 0) await executor.run(pruneDeliveriesStatement(project.schema, hookId));
    } catch {
      // It is written again with a later change.
    }
  }
}
