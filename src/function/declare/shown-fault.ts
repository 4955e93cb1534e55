/** Texts of faults as clients may see them. Pure. */

/** Of a path from the root of the server's disk, the folders; only where it begins a word. */
const FOLDERS = /(?<![\w.:/\\-])(?:file:\/\/)?(?:\/|[A-Za-z]:\\)(?:[^\s'"`()[\]:;,/\\]+[/\\])+/g;
/** The name and the password in an address. */
const CREDENTIALS = /:\/\/[^\s/@]+@/g;

/** Leaves out the folders of absolute paths, and passwords in addresses. */
export function withoutServerPaths(text: string): string {
  return text.replace(CREDENTIALS, '://…@').replace(FOLDERS, '…/');
}
