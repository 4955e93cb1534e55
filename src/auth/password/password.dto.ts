/** The bodies of passwords. Rules that involve the names of the member are in `password-hash.ts`. */
import { ApiSchema } from '@nestjs/swagger';
import { OptionalText, Text, type TextDescription } from '../../http/body/dto.js';
import { PASSWORD } from '../../shared/limits.js';

export const PASSWORD_FIELD: TextDescription = { format: 'password', writeOnly: true };

export const NEW_PASSWORD_FIELD: TextDescription = { ...PASSWORD_FIELD, ...PASSWORD };

@ApiSchema({ name: 'kind_sign_in' })
export class SignInBody {
  @Text({ description: 'A username or an e-mail address.' })
  readonly username!: string;

  @Text(PASSWORD_FIELD)
  readonly password!: string;

  @OptionalText({
    description: 'The code of the second step: that of a mail, of the authenticator app, or a recovery code.',
  })
  readonly otp: string | null = null;
}

@ApiSchema({ name: 'kind_change_password' })
export class ChangePasswordBody {
  @Text(PASSWORD_FIELD)
  readonly current_password!: string;

  @Text(NEW_PASSWORD_FIELD)
  readonly new_password!: string;
}

@ApiSchema({ name: 'kind_recover_password' })
export class RecoverPasswordBody {
  @Text()
  readonly email!: string;
}

@ApiSchema({ name: 'kind_reset_password' })
export class ResetPasswordBody {
  @Text(NEW_PASSWORD_FIELD)
  readonly new_password!: string;
}
