/**
 * Mail: templates, queue and transport. `@nestjs-modules/mailer` uses `lodash` without declaring it, so package.json
 * does. The engines for templates that it can use and this service does not, a hundred packages, are replaced there by
 * `tslib`, which it needs anyway.
 */
import { Module } from '@nestjs/common';
import { MailerModule } from '@nestjs-modules/mailer';
import { CONFIG } from '../config/config.js';
import { mailerOptions } from './transport.js';
import { MailQueue } from './mail-queue.js';
import { PublicAddress } from './public-address.js';

@Module({
  imports: [MailerModule.forRootAsync({ imports: [], inject: [CONFIG], useFactory: mailerOptions })],
  providers: [MailQueue, PublicAddress],
  exports: [MailQueue, PublicAddress],
})
export class MailModule {}
