#!/usr/bin/env node
/** `npm run kind -- <command>`, or `kind <command>` if installed: runs a command, or the service (`kind start`). */
import { runEntry } from '../entry.js';

const args = process.argv.slice(2);
await runEntry(args.length === 1 && args[0] === 'start' ? 'serve' : 'command-line');
