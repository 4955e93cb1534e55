import { Module } from '@nestjs/common';
import { AgentModule } from '../agent/agent.module.js';
import { ChangesModule } from '../changes/changes.module.js';
import { DocModule } from '../doc/doc.module.js';
import { GroupModule } from '../group/group.module.js';
import { LinkModule } from '../link/link.module.js';
import { MailModule } from '../mail/mail.module.js';
import { UnitModule } from '../unit/unit.module.js';
import { AccessReportController } from './access-report.controller.js';
import { AnswerChecks } from './run/answer-checks.js';
import { CallFiles } from './run/call-files.js';
import { Capacity } from './run/capacity.js';
import { Contexts } from './run/contexts.js';
import { FunctionCalls } from './run/function-calls.js';
import { ContentHooks } from './content-hooks.js';
import { ContentsAhead } from './contents-ahead.js';
import { FileModule } from '../file/file.module.js';
import { FunctionList, OfferedFunctions } from './function-list.js';
import { FunctionController, FunctionListController } from './function.controller.js';
import { EndpointController } from './endpoint.controller.js';
import { EndpointService } from './endpoint.service.js';
import { EndpointRates } from './run/endpoint-rates.js';
import { FunctionService } from './function.service.js';
import { HookBehaviors } from './hooks.js';
import { InnerCalls } from './run/inner-calls.js';
import { AfterCommit } from './after-commit/after-commit.js';
import { CommitRuns } from './after-commit/commit-runs.js';
import { FailureController } from './after-commit/failure.controller.js';
import { Failures } from './after-commit/failures.js';
import { ModuleSources } from './module-sources.js';
import { FunctionRegistry } from './load/module-registry.js';
import { ErrorRedaction } from './run/error-redaction.js';
import { RunController } from './schedule/run.controller.js';
import { SchedulePlanner } from './schedule/schedule-planner.js';
import { ScheduledRuns } from './schedule/scheduled-runs.js';
import { Schedules } from './schedule/schedules.js';
import { UnservedLog } from './unserved-modules.js';

/** Custom functions, hooks and remote sources, which authors declare in the functions folder. */
@Module({
  imports: [AgentModule, ChangesModule, DocModule, FileModule, GroupModule, LinkModule, MailModule, UnitModule],
  providers: [
    AfterCommit,
    AnswerChecks,
    CallFiles,
    Capacity,
    CommitRuns,
    ContentHooks,
    ContentsAhead,
    Contexts,
    EndpointRates,
    EndpointService,
    Failures,
    FunctionCalls,
    FunctionList,
    FunctionRegistry,
    FunctionService,
    HookBehaviors,
    InnerCalls,
    ModuleSources,
    OfferedFunctions,
    ErrorRedaction,
    ScheduledRuns,
    SchedulePlanner,
    Schedules,
    UnservedLog,
  ],
  controllers: [
    AccessReportController,
    FunctionController,
    FunctionListController,
    RunController,
    FailureController,
    EndpointController,
  ],
  exports: [EndpointRates, EndpointService, FunctionRegistry],
})
export class FunctionModule {}
