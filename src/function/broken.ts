import { comeBack, type KindError } from '../shared/errors.js';

/** Seconds after which somebody may have mended it. */
const LATER = 10;

/** The refusal of whatever needs a module that does not load. */
export function broken(kind: string): KindError {
  const text = `The functions of '${kind}' do not load; the log of the service says why`;
  return comeBack('function.broken', text, LATER);
}
