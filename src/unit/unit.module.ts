import { Module } from '@nestjs/common';
import { AnswerMask } from '../catalog/session/kept-answer.js';
import { KeyedRuns } from '../run/keyed-run.js';
import { Behaviors } from './draft/behavior.js';
import { BehaviorChanges } from './table/write/behavior-changes.js';
import { CountChecker, StoredCounts } from './table/stored-counts.js';
import { GenericPlans } from './table/read/generic-plans.js';
import { Deletions } from './table/write/delete.js';
import { Drafter } from './draft/drafter.js';
import { DefinitionRenames } from './definition-renames.js';
import { DefinitionWriter, InlineParameters } from './definitions.js';
import { AccessPreviews } from './access/access-previews.js';
import { ExplanationController } from './access/explanation.controller.js';
import { Explanations } from './access/explanations.js';
import { IndexAdvisor } from './tuning/index-advisor.js';
import { KeptAnswerMask } from './kept-answer.mask.js';
import { LinkHooks } from './table/links/link-hooks.js';
import { RemoteReader } from './remote/remote.reader.js';
import { RemoteStore } from './remote/remote.store.js';
import { RemoteWriter } from './remote/remote.writer.js';
import { RemoteSourceRunner } from './remote/remote-sources.js';
import { SessionUnits } from './session-units.js';
import { QueryStatistics } from './tuning/query-statistics.js';
import { Structs } from './struct.js';
import { Creates } from './table/write/create.js';
import { TableReader } from './table/read/table.reader.js';
import { TableStore } from './table/table.store.js';
import { MatchingWrites } from './table/write/matching.js';
import { UpsertEdits } from './table/write/upsert-edits.js';
import { Upserts } from './table/write/upsert.js';
import { UpdateSets } from './table/write/update-set.js';
import { Updates } from './table/write/update.js';
import { UnitQuota } from './table/write/unit-quota.js';
import { LinksOfDeletedUnits } from './table/links/links-of-deleted-units.js';
import { UnitController } from './unit.controller.js';
import { ReadCommands } from './read.commands.js';
import { PastUnits } from './past-units.js';
import { PageRepository } from './table/read/page.repository.js';
import { WriteCommands } from './write.commands.js';
import { WritesAhead } from './writes-ahead.js';
import { UnitStores } from './unit-stores.js';

/** The engine: reads and writes units of all kinds. */
@Module({
  providers: [
    { provide: AnswerMask, useClass: KeptAnswerMask },
    KeyedRuns,
    AccessPreviews,
    Behaviors,
    BehaviorChanges,
    GenericPlans,
    MatchingWrites,
    UpdateSets,
    UpsertEdits,
    Upserts,
    CountChecker,
    DefinitionRenames,
    DefinitionWriter,
    Deletions,
    Drafter,
    Explanations,
    IndexAdvisor,
    InlineParameters,
    LinkHooks,
    RemoteReader,
    RemoteStore,
    RemoteWriter,
    PageRepository,
    PastUnits,
    QueryStatistics,
    RemoteSourceRunner,
    SessionUnits,
    StoredCounts,
    Structs,
    Creates,
    UnitQuota,
    TableReader,
    TableStore,
    Updates,
    LinksOfDeletedUnits,
    ReadCommands,
    WriteCommands,
    WritesAhead,
    UnitStores,
  ],
  exports: [
    DefinitionRenames,
    AccessPreviews,
    Behaviors,
    BehaviorChanges,
    DefinitionWriter,
    Deletions,
    Drafter,
    Explanations,
    InlineParameters,
    AnswerMask,
    KeyedRuns,
    LinkHooks,
    PageRepository,
    PastUnits,
    RemoteSourceRunner,
    SessionUnits,
    Structs,
    ReadCommands,
    UnitQuota,
    WriteCommands,
    UnitStores,
  ],
})
export class UnitModule {}

/** The routes of units. They also match paths of more specific routes, so that this module is imported after those. */
@Module({ imports: [UnitModule], controllers: [UnitController, ExplanationController] })
export class UnitRoutesModule {}
