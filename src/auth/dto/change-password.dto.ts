import { ApiSchema } from '@nestjs/swagger';
import { Text } from '../../http/body/dto.js';
import { NEW_PASSWORD_FIELD, PASSWORD_FIELD } from './password.description.js';

@ApiSchema({ name: 'kind_change_password' })
export class ChangePasswordBody {
  @Text(PASSWORD_FIELD)
  readonly current_password!: string;

  @Text(NEW_PASSWORD_FIELD)
  readonly new_password!: string;
}
