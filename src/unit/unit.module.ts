import { Module } from '@nestjs/common';
import { AnswerMask, KeyedRuns } from '../run/keyed-run.js';
import { Behaviors } from './draft/behavior.js';
import { BehaviorChanges } from './table/write/behavior-changes.js';
import { ExpressionResults } from './table/write/expression-results.js';
import { CountChecker } from './table/read/count-checker.js';
import { GenericPlans } from './table/read/generic-plans.js';
import { Deletions } from './table/delete/deletion.js';
import { Drafter } from './draft/drafter.js';
import { DefinitionWriter } from './definition-writer.js';
import { AccessPreviews } from './access/access-previews.js';
import { ExplanationController } from './access/explanation.controller.js';
import { Explanations } from './access/explanations.js';
import { IndexAdvisor } from './tuning/index-advisor.js';
import { InlineParameters } from './inline-parameters.js';
import { KeptAnswerMask } from './kept-answer.mask.js';
import { LinkExplanations } from './access/link-explanations.js';
import { NamedMembers } from './access/named-members.js';
import { LinkHooks } from './table/links/link-hooks.js';
import { References } from './draft/references.js';
import { RemoteReader } from './remote/remote.reader.js';
import { RemoteStore } from './remote/remote.store.js';
import { RemoteWriter } from './remote/remote.writer.js';
import { RemoteSourceRunner } from './remote/remote-sources.js';
import { SessionUnits } from './session-units.js';
import { QueryStatistics } from './tuning/query-statistics.js';
import { StoredCounts } from './table/stored-counts.js';
import { Structs } from './struct.js';
import { TableInserter } from './table/write/table.inserter.js';
import { TableReader } from './table/read/table.reader.js';
import { TableStore } from './table/table.store.js';
import { MatchingRefusals } from './table/write/matching.refusals.js';
import { MatchingWriter } from './table/write/matching.writer.js';
import { SelectionRepository } from './table/write/selection.repository.js';
import { UpsertEdits } from './table/write/upsert.edits.js';
import { UpsertWriter } from './table/write/upsert.writer.js';
import { EditSetRepository } from './table/write/edit-set.repository.js';
import { EditSetWriter } from './table/write/edit-set.writer.js';
import { TableWriter } from './table/write/table.writer.js';
import { UnitQuota } from './table/write/unit-quota.js';
import { UnitLinks } from './table/links/unit-links.js';
import { UnitController } from './unit.controller.js';
import { UnitReader } from './unit.reader.js';
import { PageRepository } from './table/read/page.repository.js';
import { UnitRepository } from './table/unit.repository.js';
import { UnitRights } from './table/rights.js';
import { UnitWriter } from './unit.writer.js';
import { UnitStores } from './unit-stores.js';
import { Walks } from './query/reachable-kinds.js';
import { ViolationCompleter } from './table/violation/complete-violations.js';

/** The engine: reads and writes units of all kinds. */
@Module({
  providers: [
    { provide: AnswerMask, useClass: KeptAnswerMask },
    KeyedRuns,
    AccessPreviews,
    Behaviors,
    BehaviorChanges,
    ExpressionResults,
    GenericPlans,
    MatchingRefusals,
    MatchingWriter,
    SelectionRepository,
    EditSetRepository,
    EditSetWriter,
    UpsertEdits,
    UpsertWriter,
    CountChecker,
    DefinitionWriter,
    Deletions,
    Drafter,
    Explanations,
    IndexAdvisor,
    InlineParameters,
    LinkExplanations,
    LinkHooks,
    NamedMembers,
    References,
    RemoteReader,
    RemoteStore,
    RemoteWriter,
    PageRepository,
    QueryStatistics,
    RemoteSourceRunner,
    SessionUnits,
    StoredCounts,
    Structs,
    TableInserter,
    UnitQuota,
    TableReader,
    TableStore,
    TableWriter,
    UnitLinks,
    UnitReader,
    UnitRepository,
    UnitRights,
    UnitWriter,
    UnitStores,
    Walks,
    ViolationCompleter,
  ],
  exports: [
    AccessPreviews,
    Behaviors,
    DefinitionWriter,
    Drafter,
    Explanations,
    InlineParameters,
    AnswerMask,
    KeyedRuns,
    LinkHooks,
    PageRepository,
    References,
    RemoteSourceRunner,
    SessionUnits,
    Structs,
    UnitReader,
    UnitRepository,
    UnitQuota,
    UnitRights,
    UnitWriter,
    UnitStores,
    Walks,
  ],
})
export class UnitModule {}

/** The routes of units. They also match paths of more specific routes, so that this module is imported after those. */
@Module({ imports: [UnitModule], controllers: [UnitController, ExplanationController] })
export class UnitRoutesModule {}
