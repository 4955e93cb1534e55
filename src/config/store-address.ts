/** Reads `FILES_URL`: where the contents of files are kept. Parts of the address are percent-encoded. */
import { fileURLToPath } from 'node:url';
import { onOff, type VariableReader } from './variable-reader.js';

/** A bucket of a service that speaks the protocol of S3. */
export interface BucketAddress {
  /** With the scheme: `https://s3.example.com`. */
  readonly origin: string;
  readonly bucket: string;
  /** What all keys begin with: empty, or with a slash at its end. */
  readonly prefix: string;
  readonly region: string;
  /** Whether the bucket is in the path of addresses, and not in their host name. */
  readonly pathStyle: boolean;
  readonly key: string;
  readonly secret: string;
}

export type StoreAddress = { readonly folder: string } | BucketAddress;

const BUCKET = /^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/;
const PREFIX = /^(?:[A-Za-z0-9_][A-Za-z0-9._-]*\/)*$/;
const OPTIONS: readonly string[] = ['region', 'path_style', 'tls'];

export const storeAddress: VariableReader<StoreAddress> = {
  wants:
    'file:///folder, or s3://key:secret@host/bucket or s3://key:secret@host/bucket/prefix, with ?region=, path_style=on or off and tls=on or off after it; signs such as / in the key and secret are percent-encoded',
  read: (text) => {
    if (/\s/.test(text) || !URL.canParse(text)) return undefined;
    const url = new URL(text);
    if (url.hash !== '') return undefined;
    try {
      if (url.protocol === 'file:') return folderOf(url);
      return url.protocol === 's3:' ? bucketOf(url) : undefined;
    } catch {
      // A part is not percent-encoded as it has to be.
      return undefined;
    }
  },
};

function folderOf(url: URL): StoreAddress | undefined {
  return url.host === '' && url.search === '' && url.pathname !== '/' ? { folder: fileURLToPath(url) } : undefined;
}

function bucketOf({ host, username, password, pathname, searchParams }: URL): StoreAddress | undefined {
  const names = [...searchParams.keys()];
  if (names.some((name) => !OPTIONS.includes(name)) || new Set(names).size < names.length) return undefined;
  const pathStyle = onOff.read(searchParams.get('path_style') ?? 'on');
  const tls = onOff.read(searchParams.get('tls') ?? 'on');
  const region = searchParams.get('region') ?? 'us-east-1';
  if (pathStyle === undefined || tls === undefined || !/^[A-Za-z0-9-]+$/.test(region)) return undefined;
  const [key, secret] = [decodeURIComponent(username), decodeURIComponent(password)];
  const [, bucket = '', ...rest] = pathname.replace(/\/$/, '').split('/');
  const prefix = rest.map((segment) => `${segment}/`).join('');
  if (key === '' || secret === '' || !BUCKET.test(bucket) || !PREFIX.test(prefix)) return undefined;
  const { origin } = new URL(`${tls ? 'https' : 'http'}://${host}`);
  return { origin, bucket, prefix, region, pathStyle, key, secret };
}
