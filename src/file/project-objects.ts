/** The objects of whole projects: their keys begin with the id of the project. */
import { Inject, Injectable } from '@nestjs/common';
import { ProjectContents } from '../catalog/project/project-contents.js';
import { FILE_STORE, REMOVED_AT_ONCE } from './objects.js';
import type { FileStore } from './store/file-store.js';

@Injectable()
export class ProjectObjects extends ProjectContents {
  constructor(@Inject(FILE_STORE) private readonly store: FileStore) {
    super();
  }

  async remove(project: string, signal?: AbortSignal): Promise<void> {
    let keys: string[] = [];
    for await (const { key } of this.store.list(`${project}/`)) {
      keys.push(key);
      if (keys.length < REMOVED_AT_ONCE) continue;
      signal?.throwIfAborted();
      await this.store.delete(keys);
      keys = [];
    }
    await this.store.delete(keys);
  }
}
