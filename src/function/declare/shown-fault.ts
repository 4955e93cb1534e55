/** Texts of faults as clients may see them. Pure. */

const WORD = '[^\\s\'"`()[\\]:;,/\\\\]+';
/** The name of a folder, which may have spaces; a word that ends like the name of a file ends it. */
const FOLDER = `(?:${WORD}(?<!\\.\\w{1,5}) ){0,3}${WORD}[/\\\\]`;
/** Of a path from the root of the server's disk, the folders; only where it begins a word. */
const FOLDERS = new RegExp(`(?<![\\w.:/\\\\-])(?:file://)?(?:/|[A-Za-z]:\\\\)(?:${FOLDER})+`, 'g');
/** The name and the password in an address. */
const CREDENTIALS = /:\/\/[^\s/@]+@/g;

/** Leaves out the folders of absolute paths, and passwords in addresses. */
export function withoutServerPaths(text: string): string {
  return text.replace(CREDENTIALS, '://…@').replace(FOLDERS, '…/');
}
