#!/usr/bin/env node
/** `npm run kind -- <command>`, or `kind <command>` if installed: runs a command, from the bundle if the build has one. */
import { runEntry } from '../entry.js';

await runEntry('command-line');
