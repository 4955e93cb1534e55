/** `npm start`: runs the service, from the bundle if the build has one. */
import './node-settings.js';
import { keepCompiledCode, pathOf } from './entry.js';

keepCompiledCode();
await import(pathOf('serve'));
