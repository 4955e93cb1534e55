/** The bodies of verified addresses. */
import { ApiSchema } from '@nestjs/swagger';
import { OptionalText, Text } from '../../http/body/dto.js';
import { EMAIL_PATTERN } from '../../shared/email.js';
import { PASSWORD_FIELD } from '../password/password.dto.js';

@ApiSchema({ name: 'kind_verify_email' })
export class VerifyEmailBody {
  @OptionalText({ description: 'That of the mail, in the session of its member.' })
  readonly code: string | null = null;

  @OptionalText({ description: 'That of the link in the mail, in the session of its member or with its password.' })
  readonly token: string | null = null;

  @OptionalText({ ...PASSWORD_FIELD, description: 'With a token; no session is needed then.' })
  readonly password: string | null = null;
}

@ApiSchema({ name: 'kind_change_email' })
export class ChangeEmailBody {
  @Text({ pattern: EMAIL_PATTERN, description: 'The new address.' })
  readonly email!: string;
}
