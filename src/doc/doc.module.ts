import { Module } from '@nestjs/common';
import { MailModule } from '../mail/mail.module.js';
import { UnitModule } from '../unit/unit.module.js';
import { ApplicationRoutes } from './openapi/application.js';
import { DocController } from './doc.controller.js';
import { DocumentedFunctions } from './openapi/documented-functions.js';
import { Documents } from './documents.js';

@Module({
  imports: [MailModule, UnitModule],
  providers: [ApplicationRoutes, DocumentedFunctions, Documents],
  exports: [DocumentedFunctions],
  controllers: [DocController],
})
export class DocModule {}
