import { Module } from '@nestjs/common';
import { UnitModule } from '../unit/unit.module.js';
import { LinkController, LinkedController, ShortestPathController } from './link.controller.js';
import { LinkReader } from './link.reader.js';
import { LinkRepository } from './link.repository.js';
import { LinkService } from './link.service.js';
import { LinkValueReader } from './link-values.js';
import { ShortestPathReader } from './shortest-path.reader.js';
import { LinkTypeBehavior } from './link-type.behavior.js';

@Module({
  imports: [UnitModule],
  providers: [LinkReader, LinkRepository, LinkService, LinkTypeBehavior, LinkValueReader, ShortestPathReader],
  exports: [LinkReader, LinkService],
  controllers: [LinkController, ShortestPathController, LinkedController],
})
export class LinkModule {}
