/** The bodies of passkeys. */
import { ApiSchema } from '@nestjs/swagger';
import { JsonObject, OptionalText, Text } from '../../http/body/dto.js';
import { LIMITS } from '../../shared/limits.js';

const CHALLENGE = { description: 'Of the options that were asked for.' };

@ApiSchema({ name: 'kind_passkey_made' })
export class PasskeyMadeBody {
  @Text(CHALLENGE)
  readonly challenge_id!: string;

  @JsonObject('What `navigator.credentials.create` answered, as its `toJSON()`.')
  readonly response!: object;

  @OptionalText({ maxLength: LIMITS.labelLength, description: 'A name for it, such as that of the device.' })
  readonly label: string | null = null;
}

@ApiSchema({ name: 'kind_passkey_answer' })
export class PasskeyAnswerBody {
  @Text(CHALLENGE)
  readonly challenge_id!: string;

  @JsonObject('What `navigator.credentials.get` answered, as its `toJSON()`.')
  readonly response!: object;
}
