import { Module } from '@nestjs/common';
import { UnitModule } from '../unit/unit.module.js';
import { LinkController, LinkedController } from './link.controller.js';
import { LinkReader } from './link.reader.js';
import { LinkService } from './link.service.js';
import { LinkTypeBehavior } from './link-type.behavior.js';

@Module({
  imports: [UnitModule],
  providers: [LinkReader, LinkService, LinkTypeBehavior],
  exports: [LinkReader, LinkService],
  controllers: [LinkController, LinkedController],
})
export class LinkModule {}
