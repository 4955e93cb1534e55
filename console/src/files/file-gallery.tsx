/** Files as pictures, and more of them as it is scrolled. */
import { useEffect, useRef } from 'react';
import { Link } from 'react-router';
import type { FileUnit } from '../api/files.js';
import { addressOf } from '../data/grid-row.js';
import { FileThumb } from './file-thumb.js';
import { sizeText } from './file-size.js';
import './files.css';

interface FileGalleryProps {
  readonly label: string;
  readonly files: readonly FileUnit[];
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  readonly onMore: () => void;
}

/** How far before the end more are asked for. */
const AHEAD = '600px';

export function FileGallery({ label, files, hasMore, isLoadingMore, onMore }: FileGalleryProps) {
  const end = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (!hasMore || isLoadingMore || !end.current) return undefined;
    const seen = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && onMore(), {
      root: end.current.parentElement,
      rootMargin: AHEAD,
    });
    seen.observe(end.current);
    return () => seen.disconnect();
  }, [hasMore, isLoadingMore, onMore, files.length]);
  return (
    // It scrolls, also with the keyboard.
    <ul className="gallery" aria-label={label} aria-busy={isLoadingMore}>
      {files.map(({ id, kind_id: kind, name, bytes, width, height }) => (
        <li key={id}>
          <Link className="gallery-card" to={addressOf(kind, id)}>
            <FileThumb id={id} size="card" />
            <span className="gallery-text">
              <span className="gallery-name" title={name}>
                {name}
              </span>
              <span className="gallery-facts">
                {[...(width !== null && height !== null ? [`${width} × ${height}`] : []), sizeText(bytes)].join(' · ')}
              </span>
            </span>
          </Link>
        </li>
      ))}
      <li ref={end} aria-hidden className="gallery-end" />
    </ul>
  );
}
