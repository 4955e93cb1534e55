/** The model of the project as a file (docs/model-as-code.md). All functions throw `ApiError`. */
import { session } from './session.js';

/** What a model file changes; `name` is what allows it, such as `article.summary`. */
export interface ModelStep {
  readonly change: 'rename' | 'add' | 'edit' | 'drop';
  readonly name: string;
  readonly was?: string;
  readonly units?: number;
  readonly loses?: number;
  readonly opens?: readonly { readonly who: string; readonly what: string }[];
  readonly refused?: { readonly number: number; readonly ids: readonly string[] };
  readonly estimated?: true;
}

export interface ModelPlan {
  readonly state: 'equal' | 'changes';
  readonly version: number;
  readonly steps: readonly ModelStep[];
  /** What programs that use the API have to follow, in words. */
  readonly breaks: readonly string[];
}

interface Allowed {
  /** The names of steps, or `all`. */
  readonly loss?: readonly string[];
  readonly open?: readonly string[];
  /** Of the plan; another version of the model is refused. */
  readonly version?: number;
}

/** A model file as YAML, or as JSON if its type says so. */
export type ModelFile = Blob;

/** As YAML. */
export function downloadModel(): Promise<Response> {
  return session.open({ path: ['model'], headers: { accept: YAML } });
}

export async function planModel(file: ModelFile): Promise<ModelPlan> {
  return (await session.call<ModelPlan>({ ...sent(file), path: ['model', 'plan'] })).content;
}

/** Makes the model of the project what a file says. */
export async function applyModel(file: ModelFile, { loss = [], open = [], version }: Allowed): Promise<void> {
  await session.call({
    ...sent(file),
    path: ['model', 'apply'],
    query: {
      ...(loss.length > 0 && { allow_loss: loss.join(',') }),
      ...(open.length > 0 && { allow_open: open.join(',') }),
    },
    // An ETag begins with the version.
    ...(version !== undefined && { headers: { 'if-match': `"${version.toString(36)}-0"` } }),
  });
}

const YAML = 'application/yaml';

function sent(content: ModelFile) {
  const type = content.type === 'application/json' ? content.type : YAML;
  return { method: 'POST', file: { content, type, onProgress: () => undefined } } as const;
}
