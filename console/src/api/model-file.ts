/** The model of the project as a file (docs/model-as-code.md). All functions throw `ApiError` and `OfflineError`. */
import { session } from './session.js';

/** Makes the model of the project what a file says, and whatever it opens is meant. @param file YAML */
export async function applyModel(file: string): Promise<void> {
  await session.call({
    method: 'POST',
    path: ['model', 'apply'],
    query: { allow_open: 'all' },
    file: { content: new Blob([file]), type: 'application/yaml', onProgress: () => undefined },
  });
}
