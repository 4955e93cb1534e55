import { ApiSchema } from '@nestjs/swagger';
import { Text } from '../../http/body/dto.js';
import { NEW_PASSWORD_FIELD } from './password.description.js';

@ApiSchema({ name: 'kind_reset_password' })
export class ResetPasswordBody {
  @Text(NEW_PASSWORD_FIELD)
  readonly new_password!: string;
}
