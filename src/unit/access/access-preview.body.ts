import { PREVIEWED_OPERATIONS } from '../../access/preview.js';
import { Choice, OptionalText, OptionalValue } from '../../http/body/dto.js';
import type { Operation } from '../../model/built-in-traits.js';
import type { Json } from '../../shared/json.js';

/** What administrators ask before they change the access of a kind. */
export class AccessPreviewBody {
  @Choice(PREVIEWED_OPERATIONS)
  operation!: Operation;

  @OptionalValue({
    oneOf: [{ $ref: '#/components/schemas/kind_access_level' }, { type: 'null' }],
    description:
      'As in the `access` of a kind, or of a parameter as its `read_access` or `write_access`; null for the default; left out, what is stored.',
  })
  access?: Json;

  @OptionalText({
    description:
      'A parameter of the kind, whose access is asked for in place of that of the kind; `operation` is then `read`, `create` or `update`.',
  })
  parameter?: string | null;

  @OptionalText({ description: 'The id of a member; without one, requests without a token.' })
  member?: string | null;
}
