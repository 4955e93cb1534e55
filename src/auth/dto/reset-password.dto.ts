import { Text } from '../../http/dto.js';
import { NEW_PASSWORD } from './password.description.js';

export class ResetPasswordBody {
  @Text(NEW_PASSWORD)
  readonly new_password!: string;
}
