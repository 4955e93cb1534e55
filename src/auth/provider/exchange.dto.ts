/** The bodies of sign-in with identity providers. */
import { ApiSchema } from '@nestjs/swagger';
import { OptionalText, Text } from '../../http/body/dto.js';

@ApiSchema({ name: 'kind_exchange' })
export class ExchangeBody {
  @Text({ description: 'The `code` that the browser has come back with.' })
  readonly code!: string;

  @Text({ description: 'Of which `code_challenge` is the SHA-256 (RFC 7636).' })
  readonly code_verifier!: string;

  @OptionalText({ description: 'The code of the second step, where one is asked for.' })
  readonly otp: string | null = null;
}

@ApiSchema({ name: 'kind_identity_link' })
export class LinkBody {
  @Text({ description: 'The id of the identity provider.' })
  readonly provider!: string;
}
