import { ApiSchema } from '@nestjs/swagger';
import { Text } from '../../http/body/dto.js';

@ApiSchema({ name: 'kind_recover_password' })
export class RecoverPasswordBody {
  @Text()
  readonly email!: string;
}
