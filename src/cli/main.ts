#!/usr/bin/env node
/** `npm run kind -- <command>`, or `kind <command>` if installed: runs a command, from the bundle if the build has one. */
import { keepCompiledCode, pathOf } from '../entry.js';

keepCompiledCode();
await import(pathOf('command-line'));
