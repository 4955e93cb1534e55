import { WholeNumber } from '../../http/body/dto.js';
import { LIMITS } from '../../shared/limits.js';

/** For how long an address is to open a content. */
export class UrlBody {
  @WholeNumber('Seconds until it ends.', { minimum: 1, maximum: LIMITS.fileUrlSecondsMax })
  seconds!: number;
}
