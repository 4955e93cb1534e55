import { Module } from '@nestjs/common';
import { UnitModule } from '../unit/unit.module.js';
import { LinkController, LinkedController, LinkSetController, ShortestPathController } from './link.controller.js';
import { LinkSetService } from './many/link-set.service.js';
import { LinkSetHooks } from './many/link-set.hooks.js';
import { LinkValueReader } from './link-values.js';
import { LinkReader } from './walk/link.reader.js';
import { LinkWriter } from './link.writer.js';
import { LinkService } from './link.service.js';
import { LinkTypeBehavior } from './link-type.behavior.js';
import { SystemLinks } from './system-links.js';

@Module({
  imports: [UnitModule],
  providers: [
    LinkReader,
    LinkService,
    LinkSetHooks,
    LinkSetService,
    LinkTypeBehavior,
    LinkValueReader,
    LinkWriter,
    SystemLinks,
  ],
  exports: [LinkReader, LinkService, LinkSetService],
  controllers: [LinkController, LinkSetController, ShortestPathController, LinkedController],
})
export class LinkModule {}
