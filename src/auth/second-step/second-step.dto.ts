/** The bodies of the second step. */
import { ApiSchema } from '@nestjs/swagger';
import { JsonObject, OptionalText, Text } from '../../http/body/dto.js';
import { PASSWORD_FIELD } from '../password/password.dto.js';

@ApiSchema({ name: 'kind_totp_code' })
export class CodeBody {
  @Text({ description: 'The code that the app shows.' })
  readonly code!: string;
}

@ApiSchema({ name: 'kind_confirm' })
export class ConfirmBody {
  @OptionalText({
    ...PASSWORD_FIELD,
    description: 'Where neither an authenticator app nor a passkey is set up.',
  })
  readonly password: string | null = null;

  @OptionalText({ description: 'A code of the authenticator app, or a recovery code.' })
  readonly otp: string | null = null;

  @OptionalText({ description: 'Of the options of a sign-in with a passkey.' })
  readonly challenge_id: string | null = null;

  @JsonObject('What `navigator.credentials.get` answered, as its `toJSON()`.', { optional: true })
  readonly response: object | null = null;
}
