import { Module } from '@nestjs/common';
import { ChangesModule } from '../changes/changes.module.js';
import { OutgoingModule } from '../outgoing/outgoing.module.js';
import { UnitModule } from '../unit/unit.module.js';
import { Deliveries } from './deliveries.js';
import { DeliveryLog } from './delivery-log.js';
import { HookSecrets } from './hook-secrets.js';
import { HookSender } from './hook-sender.js';
import { HookStates } from './hook-states.js';
import { HookStore } from './hook-store.js';
import { Payloads } from './payload.js';
import { Pings } from './pings.js';
import { Sender } from './sender.js';
import { WebhookBehavior } from './webhook.behavior.js';
import { WebhookController } from './webhook.controller.js';

/** Changes are sent to other services. */
@Module({
  imports: [ChangesModule, OutgoingModule, UnitModule],
  controllers: [WebhookController],
  providers: [
    Deliveries,
    DeliveryLog,
    HookSecrets,
    HookSender,
    HookStates,
    HookStore,
    Payloads,
    Pings,
    Sender,
    WebhookBehavior,
  ],
})
export class WebhookModule {}
