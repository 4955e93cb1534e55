import { ApiSchema } from '@nestjs/swagger';
import { Text } from '../../http/body/dto.js';
import { NEW_PASSWORD, PASSWORD } from './password.description.js';

@ApiSchema({ name: 'kind_change_password' })
export class ChangePasswordBody {
  @Text(PASSWORD)
  readonly current_password!: string;

  @Text(NEW_PASSWORD)
  readonly new_password!: string;
}
