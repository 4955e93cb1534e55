/** A small picture of a file; of one that is no picture, the end of its name. */
import { useState } from 'react';
import { hasSizes } from '../../../src/model/built-in/sized-types.js';
import { withQuery, type ShownFile } from '../api/files.js';
import './files.css';
import { useShownFile } from './shown-files.js';

interface FileThumbProps {
  readonly id: string;
  /** In a row of text, or as large as its place. */
  readonly size: 'line' | 'row' | 'card';
}

/** What stands beside it names the file. */
export function FileThumb({ id, size }: FileThumbProps) {
  const file = useShownFile(id);
  // Where the service makes no sizes, the project has none of this name, or the address has ended.
  const [failed, setFailed] = useState<readonly string[]>([]);
  const source = file ? addressesOf(file).find((address) => !failed.includes(address)) : undefined;
  return (
    <span className="file-thumb" data-size={size} aria-hidden>
      {source !== undefined && (
        <img src={source} alt="" loading="lazy" decoding="async" onError={() => setFailed([...failed, source])} />
      )}
      {file && source === undefined && endOf(file)}
    </span>
  );
}

/** Larger pictures are not loaded whole to be shown small. */
const MOST_BYTES = 500_000;

/** In a small size, or as it is. */
function addressesOf({ url, media_type: type, bytes }: ShownFile): readonly string[] {
  if (url === null || !hasSizes(type)) return [];
  return [withQuery(url, { size: 'thumb' }), ...(bytes <= MOST_BYTES ? [url] : [])];
}

const MOST_CHARACTERS = 4;

function endOf({ name, media_type: type }: { readonly name: string; readonly media_type: string }): string {
  const end = /\.([\p{L}\p{N}]+)$/u.exec(name)?.[1] ?? type.split('/').at(-1) ?? '';
  return end.slice(0, MOST_CHARACTERS).toUpperCase();
}
