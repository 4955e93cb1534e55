/**
 * Exports the units of a kind that match a query, as a list would return them: checks rights, state and input, then
 * sends the lines of a cursor to the output, all of one snapshot.
 */
import { Injectable } from '@nestjs/common';
import { authorizeKind } from '../access/access.js';
import { Catalog } from '../catalog/catalog.service.js';
import { Database, type Transaction } from '../database/database.js';
import { asRefusal, beyondRange } from '../database/statement/sqlstate.js';
import type { QueryParameters } from '../http/route/parse-list-query.js';
import type { Model } from '../model/model.js';
import { refusal } from '../shared/errors.js';
import { LIMITS } from '../shared/limits.js';
import { modelVersionStatement } from '../sql/model-version.sql.js';
import { csvColumns, openExportStatement, type ExportPlan } from '../sql/list/export.sql.js';
import type { RequestScope } from '../tenancy/request-scope.js';
import { withListAccess } from '../unit/query/list-access.js';
import { planContextOf, planList, planQuery } from '../unit/query/list.plan.js';
import { Deployments } from '../catalog/session/session.js';
import { usedBy } from '../catalog/session/executors.js';
import { checkVersion, type Versioned } from '../unit/table/unit.repository.js';
import { UnitStores } from '../unit/unit-stores.js';
import { sendLines } from './file/cursor-lines.js';
import { parseExportQuery } from './transfer.query.js';
import { ClientGoneError, type ExportTarget } from './export-output.js';
import { lineFormat, type LineFormat } from './file/file-formats.js';
import { ConcurrentTransfers } from './concurrent-transfers.js';

/** Milliseconds that a transaction may be idle: longer than a client may keep it waiting. */
export const TRANSFER_IDLE = (LIMITS.transferWaitSeconds + 30) * 1000;

@Injectable()
export class ExportService {
  constructor(
    private readonly catalog: Catalog,
    private readonly database: Database,
    private readonly stores: UnitStores,
    private readonly places: ConcurrentTransfers,
    private readonly deployments: Deployments,
  ) {}

  /** @param open makes the output; it is called once the request is checked */
  async export(
    scope: RequestScope,
    kindId: string,
    parameters: QueryParameters,
    open: (format: LineFormat) => ExportTarget,
  ): Promise<void> {
    const failed = await this.catalog.withModel(scope, async (model) => {
      const plan = this.#plan(scope, kindId, parameters, model);
      const output = open(lineFormat(plan.format, () => csvColumns(plan)));
      try {
        await this.places.run(scope, output.client, () => this.#send(scope, model, plan, output));
        // What is left to be sent needs no place.
        await output.finish();
      } catch (error) {
        if (error instanceof ClientGoneError || output.signal.aborted) return undefined;
        // What was sent can't be taken back, so that it is not run again.
        if (output.started) return { error };
        throw error;
      }
      return undefined;
    });
    if (failed) throw failed.error;
  }

  #plan(scope: RequestScope, kindId: string, parameters: QueryParameters, model: Model): ExportPlan {
    const { kind, grant } = authorizeKind(model, kindId, 'read', scope.caller);
    if (!kind.storage.bulk) throw refusal('kind.not_allowed_here', `Units of '${kind.id}' are not exported`);
    this.stores.of(kind).checkState(kind, scope, 'list');
    const { current } = this.deployments;
    const session = { ...scope, model, ...(current && { deployment: current }) };
    const context = planContextOf(session, { kind, access: grant.predicate });
    return planQuery(parseExportQuery(parameters), ({ format, safe, ...query }) => {
      return { ...withListAccess(planList(query, context)), version: model.version, format, safe };
    });
  }

  async #send(scope: RequestScope, model: Model, plan: ExportPlan, output: ExportTarget): Promise<void> {
    const options = {
      isolation: 'read committed',
      readOnly: true,
      once: true,
      idleTimeout: TRANSFER_IDLE,
      ...usedBy(scope),
      long: true,
    } as const;
    try {
      await this.database.transaction((tx) => sendUnits(tx, model, plan, output), options);
    } catch (error) {
      if (output.started) output.destroy();
      throw beyondRange(error) ?? asRefusal(error);
    }
  }
}

async function sendUnits(tx: Transaction, model: Model, plan: ExportPlan, output: ExportTarget): Promise<void> {
  const seconds = output.client ? LIMITS.transferTransactionSeconds : LIMITS.transferSeconds;
  const until = performance.now() + seconds * 1000;
  tx.abortOn(output.signal);
  const count = await sendLines(tx, openExportStatement(plan), output, () => {
    if (performance.now() <= until) return;
    throw refusal('query.timeout', `An export takes ${seconds} seconds at most`);
  });
  if (count === 0) await checkModel(tx, plan, model);
}

/** With an outdated model there are no lines. The version only grows: if it is that of the plan now, it was before. */
async function checkModel(tx: Transaction, { schema }: ExportPlan, model: Model): Promise<void> {
  const [row] = await tx.run<Versioned>(modelVersionStatement(schema));
  checkVersion(row, model);
}
