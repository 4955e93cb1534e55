import { Module } from '@nestjs/common';
import { UnitModule } from '../unit/unit.module.js';
import { AgentController } from './agent.controller.js';
import { AgentFunctions } from './agent-functions.js';
import { AgentServer } from './agent.server.js';
import { AgentCallController } from './call.controller.js';
import { CallLimits } from './call-limits.js';
import { CallLog } from './call-log.js';
import { ToolCalls } from './tool-calls.js';
import { ToolRequests } from './tool-requests.js';

/** Agents use the service by the Model Context Protocol. */
@Module({
  imports: [UnitModule],
  controllers: [AgentController, AgentCallController],
  providers: [AgentFunctions, AgentServer, CallLimits, CallLog, ToolCalls, ToolRequests],
  exports: [AgentFunctions],
})
export class AgentModule {}
