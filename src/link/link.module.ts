import { Module } from '@nestjs/common';
import { UnitModule } from '../unit/unit.module.js';
import { LinkController, LinkedController, LinkSetController, ShortestPathController } from './link.controller.js';
import { LinkSetRepository } from './link-set.repository.js';
import { LinkSetService } from './link-set.service.js';
import { LinkSetValues } from './link-set.values.js';
import { LinkReader } from './link.reader.js';
import { LinkRepository } from './link.repository.js';
import { LinkService } from './link.service.js';
import { LinkValueReader } from './link-values.js';
import { ShortestPathReader } from './shortest-path.reader.js';
import { LinkTypeBehavior } from './link-type.behavior.js';

@Module({
  imports: [UnitModule],
  providers: [
    LinkReader,
    LinkRepository,
    LinkService,
    LinkSetRepository,
    LinkSetService,
    LinkSetValues,
    LinkTypeBehavior,
    LinkValueReader,
    ShortestPathReader,
  ],
  exports: [LinkReader, LinkService, LinkSetService],
  controllers: [LinkController, LinkSetController, ShortestPathController, LinkedController],
})
export class LinkModule {}
