/** The formats of pictures that a request may ask for. Pure. */

/** The format that the header `Accept` decides. */
export const AUTO = 'auto';

const FORMATS = ['webp', 'jpeg', 'png'] as const;

/** `jpeg-or-png` is png where the picture has an alpha channel, which only its content tells, and jpeg where it has none. */
export type ImageFormat = (typeof FORMATS)[number] | 'jpeg-or-png';

/**
 * The format to make; undefined if the request names an unknown one.
 * @param requested `auto`, which is webp where the header `Accept` names that, as browsers do, or a format
 */
export function formatToMake(requested: string, accept: string | undefined): ImageFormat | undefined {
  if (requested === AUTO) return acceptsWebp(accept ?? '') ? 'webp' : 'jpeg-or-png';
  return FORMATS.find((format) => format === requested);
}

/** Only a type by its name counts: clients that show no webp send `image/*` too. */
function acceptsWebp(accept: string): boolean {
  return accept.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return type === 'image/webp' && !parameters.some((parameter) => /^q\s*=\s*0(\.0*)?$/.test(parameter));
  });
}
