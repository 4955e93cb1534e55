import { Module } from '@nestjs/common';
import { UnitModule } from '../unit/unit.module.js';
import { LinkAuthorizer } from './link.authorizer.js';
import { LinkController, LinkedController, LinkSetController, ShortestPathController } from './link.controller.js';
import { LinkSetAccess } from './many/link-set.access.js';
import { LinkSetHooks } from './many/link-set.hooks.js';
import { LinkSetRepository } from './many/link-set.repository.js';
import { LinkSetService } from './many/link-set.service.js';
import { LinkSetValues } from './many/link-set.values.js';
import { LinkReader } from './walk/link.reader.js';
import { LinkRepository } from './link.repository.js';
import { LinkService } from './link.service.js';
import { LinkValueReader } from './link-values.js';
import { LinkTypeBehavior } from './link-type.behavior.js';
import { LinkWriter } from './link.writer.js';
import { SystemLinks } from './system-links.js';

@Module({
  imports: [UnitModule],
  providers: [
    LinkAuthorizer,
    LinkReader,
    LinkRepository,
    LinkService,
    LinkSetAccess,
    LinkSetHooks,
    LinkSetRepository,
    LinkSetService,
    LinkSetValues,
    LinkTypeBehavior,
    LinkValueReader,
    LinkWriter,
    SystemLinks,
  ],
  exports: [LinkReader, LinkService, LinkSetService],
  controllers: [LinkController, LinkSetController, ShortestPathController, LinkedController],
})
export class LinkModule {}
