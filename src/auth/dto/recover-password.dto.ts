import { Text } from '../../http/dto.js';

export class RecoverPasswordBody {
  @Text()
  readonly email!: string;
}
