/** Saves the body of an answer as a file, without reading all of it into memory where the browser can. */

interface FileHandle {
  createWritable(): Promise<WritableStream<Uint8Array>>;
}

type Picker = (options: { readonly suggestedName: string }) => Promise<FileHandle>;

/** Asks where to save first, because a browser allows that only as an answer to a click. Undefined if it cannot ask. */
export async function pickFile(name: string): Promise<FileHandle | undefined> {
  const { showSaveFilePicker: pick } = window as { showSaveFilePicker?: Picker };
  return pick?.call(window, { suggestedName: name });
}

/** @throws an error if the answer breaks off; a file that was begun is not kept then */
export async function saveFile(answer: Response, name: string, handle: FileHandle | undefined): Promise<void> {
  if (handle && answer.body) {
    await answer.body.pipeTo(await handle.createWritable());
    return;
  }
  // Browsers keep large blobs on the disk.
  const url = URL.createObjectURL(await answer.blob());
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  // The download has begun by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
