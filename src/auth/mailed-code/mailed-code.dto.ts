/** The bodies of a sign-in with a mailed code. */
import { ApiSchema } from '@nestjs/swagger';
import { OptionalText, Text } from '../../http/body/dto.js';

@ApiSchema({ name: 'kind_mailed_code_request' })
export class MailedCodeRequestBody {
  @Text()
  readonly email!: string;
}

@ApiSchema({ name: 'kind_mailed_code' })
export class MailedCodeBody {
  @Text({ description: 'That the code was mailed to.' })
  readonly email!: string;

  @Text({ description: 'The eight digits of the mail.' })
  readonly code!: string;

  @OptionalText({
    description: 'The code of the second step: that of the authenticator app, or a recovery code.',
  })
  readonly otp: string | null = null;
}
