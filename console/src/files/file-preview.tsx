/** Shows a content, as far as a browser shows it and nothing in it can run. */
import { Anchor, Text as Paragraph } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { hasSizes } from '../../../src/model/built-in/sized-types.js';
import { makeAddress, readText, withQuery, type FileUnit } from '../api/files.js';
import { useText } from '../i18n/text.js';
import { PageError } from '../shell/page-states.js';
import './files.css';

/** Bytes of a text that are shown. */
const MOST_TEXT = 100_000;
const TEXT =
  /^(text\/.+|application\/(json|xml|javascript|x-ndjson|yaml|x-yaml|toml|sql|graphql)|image\/svg\+xml|.+\+(json|xml))$/;

interface PreviewProps {
  readonly file: Pick<FileUnit, 'id' | 'name' | 'media_type' | 'bytes' | 'sha256'>;
}

export function FilePreview({ file }: PreviewProps) {
  const { media_type: type } = file;
  if (TEXT.test(type)) return <TextPreview file={file} />;
  const isShown = hasSizes(type) || /^(audio|video)\/|^application\/pdf$/.test(type);
  return isShown ? <MediaPreview file={file} /> : <NoPreview of="no_preview" />;
}

function NoPreview({ of }: { readonly of: 'no_preview' | 'no_picture' }) {
  const text = useText();
  return (
    <Paragraph size="sm" c="dimmed">
      {text(`files.${of}`)}
    </Paragraph>
  );
}

/** By an address, so that a browser reads of a film what it shows. */
function MediaPreview({ file: { id, name, media_type: type, sha256 } }: PreviewProps) {
  const text = useText();
  const { data, error, refetch } = useQuery({
    queryKey: ['file-address', id, sha256],
    queryFn: () => makeAddress(id),
    // A film goes on with its address.
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });
  if (error) return <PageError error={error} onRetry={() => void refetch()} />;
  // As large as most pictures, so that what is below does not move.
  if (!data) return <div className="file-preview file-preview-waiting" />;
  return (
    <div className="file-preview">
      {hasSizes(type) && <Picture url={data.url} name={name} />}
      {type.startsWith('audio/') && <audio controls preload="metadata" src={data.url} aria-label={name} />}
      {type.startsWith('video/') && <video controls preload="metadata" src={data.url} aria-label={name} />}
      {type === 'application/pdf' && (
        <Anchor href={data.url} target="_blank" rel="noopener" title={text('files.opens')}>
          {text('files.open')}
        </Anchor>
      )}
    </div>
  );
}

/** In a size of the project, or as it is where that has no such size. */
function Picture({ url, name }: { readonly url: string; readonly name: string }) {
  const addresses = [withQuery(url, { size: 'large' }), url];
  const [failed, setFailed] = useState(0);
  const address = addresses[failed];
  if (address === undefined) return <NoPreview of="no_picture" />;
  return <img src={address} alt={name} onError={() => setFailed(failed + 1)} />;
}

function TextPreview({ file: { id, name, bytes, sha256 } }: PreviewProps) {
  const text = useText();
  const { data, error, refetch } = useQuery({
    queryKey: ['file-text', id, sha256],
    queryFn: ({ signal }) => (bytes === 0 ? '' : readText(id, MOST_TEXT, signal)),
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });
  if (error) return <PageError error={error} onRetry={() => void refetch()} />;
  return (
    <div className="file-preview">
      {/* It scrolls, also with the keyboard. */}
      <pre className="file-text text-of-tenant" tabIndex={0} role="group" aria-label={name}>
        {data ?? ''}
      </pre>
      {bytes > MOST_TEXT && (
        <Paragraph size="sm" c="dimmed">
          {text('files.text_begins')}
        </Paragraph>
      )}
    </div>
  );
}
