/** Names of formats: which media types are of one format, and which formats are in the container of another. */

/** Types of one format, or of formats with one container, as programs name them, without `x-`. */
const FORMATS: readonly (readonly string[])[] = [
  ['image/jpeg', 'image/jpg', 'image/pjpeg', 'image/jfif'],
  ['image/png', 'image/apng', 'image/vnd.mozilla.apng'],
  ['image/bmp', 'image/ms-bmp', 'image/windows-bmp'],
  ['image/icon', 'image/vnd.microsoft.icon', 'image/ico'],
  ['image/tiff', 'image/tif'],
  ['image/heif', 'image/heic', 'image/heif-sequence', 'image/heic-sequence'],
  ['image/avif', 'image/avif-sequence'],
  ['image/jp2', 'image/jpx', 'image/jpm', 'image/jpeg2000', 'image/jpeg2000-image'],
  ['image/vnd.adobe.photoshop', 'image/psd', 'image/photoshop', 'application/photoshop', 'application/psd'],
  ['image/vnd.dwg', 'image/dwg', 'application/acad', 'application/dwg'],
  ['audio/mpeg', 'audio/mp3', 'audio/mpeg3', 'audio/mpeg-3', 'audio/mpg', 'audio/mpa'],
  ['audio/wav', 'audio/wave', 'audio/pn-wav', 'audio/vnd.wave'],
  ['audio/aiff', 'audio/aif'],
  ['audio/midi', 'audio/mid', 'application/midi'],
  [
    'video/mp4',
    'audio/mp4',
    'application/mp4',
    'video/m4v',
    'audio/m4a',
    'audio/m4b',
    'audio/m4p',
    'audio/aac',
    'video/quicktime',
    'video/3gpp',
    'audio/3gpp',
    'video/3gpp2',
    'audio/3gpp2',
  ],
  ['audio/ogg', 'video/ogg', 'application/ogg', 'audio/opus', 'audio/vorbis', 'audio/speex'],
  ['video/matroska', 'audio/matroska', 'video/webm', 'audio/webm', 'application/matroska'],
  ['video/mpeg', 'video/mpg', 'video/mp1s', 'video/mp2p', 'video/mp2t'],
  ['video/vnd.avi', 'video/avi', 'video/msvideo'],
  ['application/vnd.ms-asf', 'video/ms-asf', 'audio/ms-asf', 'video/ms-wmv', 'audio/ms-wma'],
  ['application/pdf', 'application/acrobat', 'application/illustrator', 'application/postscript', 'application/eps'],
  ['application/xml', 'text/xml'],
  ['application/rtf', 'text/rtf'],
  ['application/zip', 'application/zip-compressed'],
  ['application/gzip', 'application/gunzip', 'application/tgz', 'application/compressed', 'application/compressed-tar'],
  ['application/tar', 'application/gtar', 'application/ustar'],
  ['application/bzip2', 'application/bzip', 'application/bz2'],
  ['application/rar-compressed', 'application/rar', 'application/vnd.rar'],
  ['application/7z-compressed', 'application/7z'],
  ['application/cfb', 'application/ole-storage'],
  ['application/sqlite3', 'application/vnd.sqlite3'],
  [
    'application/msdownload',
    'application/dosexec',
    'application/ms-dos-executable',
    'application/msdos-program',
    'application/vnd.microsoft.portable-executable',
  ],
  ['application/elf', 'application/executable', 'application/pie-executable', 'application/sharedlib'],
  ['application/deb', 'application/debian-package', 'application/vnd.debian.binary-package'],
  ['application/rpm', 'application/redhat-package-manager'],
  ['application/shockwave-flash', 'application/vnd.adobe.flash.movie'],
  ['application/vnd.tcpdump.pcap', 'application/pcap'],
  ['model/stl', 'application/sla', 'application/vnd.ms-pki.stl'],
  ['font/ttf', 'font/truetype', 'application/font-ttf', 'application/font-truetype'],
  ['font/otf', 'font/opentype', 'application/font-otf', 'application/font-opentype', 'application/vnd.ms-opentype'],
  ['font/woff', 'application/font-woff'],
  ['font/woff2', 'application/font-woff2'],
];

const FORMAT_OF = new Map(FORMATS.flatMap(([format = '', ...others]) => others.map((other) => [other, format])));

const IN_ZIP =
  /\+zip$|^application\/(java-archive|x-java-archive|x-xpinstall|vnd\.(android\.package-archive|apple\.(keynote|numbers|pages)|comicbook|google-earth\.kmz|ms-(excel|package|powerpoint|visio|word|xpsdocument)|oasis\.opendocument|openxmlformats-officedocument|visio).*)$|^model\/3mf$/;

/** Types of formats in the container of another, which the first bytes need not tell apart. */
const HELD = new Map([
  ['application/zip', IN_ZIP],
  ['application/java-archive', /^application\/vnd\.android\.package-archive$/],
  ['application/cfb', /^application\/(msword|x-msi|x-ms-installer|x-hwp|vnd\.(ms-|visio).*)$/],
  ['audio/ogg', /^(audio|video)\/ogg$/],
  ['video/mp4', /^audio\/(mp4|3gpp2?)$/],
  ['video/matroska', /^audio\/(webm|(x-)?matroska)$/],
  ['image/tiff', /^image\/x-(adobe-dng|canon-cr2|epson-erf|nikon-nef|olympus-orf|panasonic-rw2|pentax-pef|sony-arw)$/],
]);

/** Formats that can consist of text, so that a text with their first letters is one of them. */
export const NAMED_IN_TEXT: ReadonlySet<string> = new Set([
  'application/eps',
  'application/pdf',
  'application/pgp-encrypted',
  'application/postscript',
  'application/rtf',
  'application/xml',
  'text/calendar',
  'text/vcard',
  'text/vtt',
]);

export function areOfOneFormat(one: string, other: string): boolean {
  return formatOf(one) === formatOf(other);
}

/** Whether the second type is of a format in the container of the first, which the first bytes need not tell. */
export function mayHold(container: string, type: string): boolean {
  return HELD.get(formatOf(container))?.test(type) ?? false;
}

/** One name for all types of a format. */
function formatOf(type: string): string {
  const [bare = ''] = type.toLowerCase().split(';');
  const plain = bare.replace(/\/x[-.]/, '/');
  return FORMAT_OF.get(plain) ?? plain;
}
