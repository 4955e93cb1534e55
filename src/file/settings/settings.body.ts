import { OptionalText, WholeNumber } from '../../http/body/dto.js';
import { LIMITS } from '../../shared/limits.js';

const [LEAST, MOST] = [LIMITS.fileUrlSecondsMin, LIMITS.fileUrlSecondsMax];

/** The settings that are changed. Their values are judged by the settings themselves, all together. */
export class FileSettingsBody {
  @OptionalText({ description: 'The sizes of pictures, as `name:widthxheight:mode` with commas, or `default`.' })
  image_sizes?: string | null;

  @OptionalText({ description: '`all`, or `owner`: others than the owner of a picture see it in sizes alone.' })
  originals?: string | null;

  @WholeNumber(`How long a signed address opens a file where it is not said, ${LEAST} to ${MOST} seconds.`, {
    optional: true,
  })
  file_url_seconds?: number;
}
