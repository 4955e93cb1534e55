import { OptionalTexts, WholeNumber } from '../http/body/dto.js';

/** How a unit is to be again. */
export class RevertBody {
  @WholeNumber('One that the history of the unit has.')
  version!: number;

  @OptionalTexts('The parameters to put back; all where it is left out.')
  parameters?: string[] | null;
}
