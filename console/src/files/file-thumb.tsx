/** A small picture of a file; of one that is no picture, the end of its name. */
import { useState } from 'react';
import { hasSizes } from '../../../src/model/built-in/sized-types.js';
import { withQuery } from '../api/files.js';
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
  // Where the service makes no sizes, or the address has ended.
  const [failed, setFailed] = useState<string>();
  const url = file && hasSizes(file.media_type) && file.url !== failed ? file.url : null;
  return (
    <span className="file-thumb" data-size={size} aria-hidden>
      {url !== null && (
        <img
          src={withQuery(url, { size: 'thumb' })}
          alt=""
          loading="lazy"
          decoding="async"
          onError={() => setFailed(url)}
        />
      )}
      {file && url === null && endOf(file)}
    </span>
  );
}

const MOST_CHARACTERS = 4;

function endOf({ name, media_type: type }: { readonly name: string; readonly media_type: string }): string {
  const end = /\.([\p{L}\p{N}]+)$/u.exec(name)?.[1] ?? type.split('/').at(-1) ?? '';
  return end.slice(0, MOST_CHARACTERS).toUpperCase();
}
