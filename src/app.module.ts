/** The composition root. Routes are matched in the order of the imports. */
import { Module, type DynamicModule } from '@nestjs/common';
import { AgentModule } from './agent/agent.module.js';
import { AuthModule } from './auth/auth.module.js';
import { BatchModule } from './batch/batch.module.js';
import { ConsoleModule } from './console/console.module.js';
import { DocModule } from './doc/doc.module.js';
import { FileModule } from './file/file.module.js';
import { FunctionModule } from './function/function.module.js';
import { GroupModule } from './group/group.module.js';
import { ModelFileModule } from './model-file/model-file.module.js';
import { MetricsModule } from './metrics/metrics.module.js';
import { KindModule } from './kind/kind.module.js';
import { LinkModule } from './link/link.module.js';
import { ParameterModule } from './parameter/parameter.module.js';
import { PlatformModule, type Platform } from './platform.module.js';
import { TransferModule } from './transfer/transfer.module.js';
import { ChangesModule } from './changes/changes.module.js';
import { UnitRoutesModule } from './unit/unit.module.js';
import { UnknownRouteModule } from './unknown-route.module.js';
import { WebhookModule } from './webhook/webhook.module.js';

@Module({})
export class AppModule {
  static register(platform: Platform): DynamicModule {
    return {
      module: AppModule,
      imports: [
        PlatformModule.register(platform),
        MetricsModule.register(platform.config),
        ...(platform.config.console ? [ConsoleModule] : []),
        DocModule,
        AuthModule,
        AgentModule,
        KindModule,
        GroupModule,
        ParameterModule,
        LinkModule,
        TransferModule,
        ModelFileModule,
        ChangesModule,
        FunctionModule,
        WebhookModule,
        FileModule,
        UnitRoutesModule,
        BatchModule,
        UnknownRouteModule,
      ],
    };
  }
}
