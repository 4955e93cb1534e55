import { Module } from '@nestjs/common';
import { DocModule } from '../doc/doc.module.js';
import { GroupModule } from '../group/group.module.js';
import { LinkModule } from '../link/link.module.js';
import { MailModule } from '../mail/mail.module.js';
import { UnitModule } from '../unit/unit.module.js';
import { Calls } from './calls.js';
import { Contexts } from './contexts.js';
import { FunctionController } from './function.controller.js';
import { FunctionService } from './function.service.js';
import { HookBehaviors } from './hooks.behavior.js';
import { HookRuns } from './hook-runs.js';
import { OfferedFunctions } from './offered.js';
import { ModuleSources } from './module-sources.js';
import { Places } from './places.js';
import { FunctionRegistry } from './registry.js';

/** Custom functions: what authors declare in files of their own. */
@Module({
  imports: [DocModule, GroupModule, LinkModule, MailModule, UnitModule],
  providers: [
    Calls,
    Contexts,
    FunctionRegistry,
    FunctionService,
    HookBehaviors,
    HookRuns,
    ModuleSources,
    OfferedFunctions,
    Places,
  ],
  controllers: [FunctionController],
  exports: [FunctionRegistry],
})
export class FunctionModule {}
