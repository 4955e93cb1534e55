import { Module } from '@nestjs/common';
import { MailModule } from '../mail/mail.module.js';
import { CheckedAddresses } from './checked-addresses.js';
import { HostLookup } from './host-lookup.js';
import { OwnPlaces } from './own-places.js';

/** Requests to other services. */
@Module({
  imports: [MailModule],
  providers: [CheckedAddresses, HostLookup, OwnPlaces],
  exports: [CheckedAddresses, OwnPlaces],
})
export class OutgoingModule {}
