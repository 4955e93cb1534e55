import { WholeNumber } from '../../http/body/dto.js';
import { LIMITS } from '../../shared/limits.js';

/** For how long an address is to open a content. */
export class UrlBody {
  @WholeNumber('Seconds until it ends; `file_url_seconds` of the project where it is left out.', {
    minimum: 1,
    maximum: LIMITS.fileUrlSecondsMax,
    optional: true,
  })
  seconds?: number;
}
