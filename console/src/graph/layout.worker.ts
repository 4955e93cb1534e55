/** Places boxes on a thread of its own, because a large drawing takes seconds. */
import { placed, type Drawing } from './layout.js';

const scope = self as unknown as { onmessage: unknown; postMessage(message: unknown): void };
scope.onmessage = ({ data }: MessageEvent<Drawing>): void => scope.postMessage(placed(data));
