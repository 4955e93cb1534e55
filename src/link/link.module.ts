import { Module } from '@nestjs/common';
import { UnitModule } from '../unit/unit.module.js';
import { LinkController } from './link.controller.js';
import { LinkService } from './link.service.js';
import { LinkTypeBehavior } from './link-type.behavior.js';

@Module({ imports: [UnitModule], providers: [LinkService, LinkTypeBehavior], controllers: [LinkController] })
export class LinkModule {}
