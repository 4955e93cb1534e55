import { ApiSchema } from '@nestjs/swagger';
import { OptionalText, Text } from '../../http/body/dto.js';
import { PASSWORD_FIELD } from './password.description.js';

@ApiSchema({ name: 'kind_sign_in' })
export class SignInBody {
  @Text({ description: 'A username or an e-mail address.' })
  readonly username!: string;

  @Text(PASSWORD_FIELD)
  readonly password!: string;

  @OptionalText({ description: 'The code of the mail, where the project asks for one.' })
  readonly otp: string | null = null;
}
