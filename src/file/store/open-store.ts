import type { StoreAddress } from '../../config/store-address.js';
import type { FileStore } from './file-store.js';
import { FolderStore } from './folder.store.js';
import { S3Store } from './s3.store.js';

/** Nothing is read or written yet. */
export function openStore(address: StoreAddress): FileStore {
  return 'folder' in address ? new FolderStore(address.folder) : new S3Store(address);
}
