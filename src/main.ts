/** `npm start`: runs the service, from the bundle if the build has one. */
import { runEntry } from './entry.js';

await runEntry('serve');
