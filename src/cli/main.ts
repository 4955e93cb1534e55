#!/usr/bin/env node
/** The command line: `npm run kind -- <command>`, or `kind <command>` where it is installed. */
import 'reflect-metadata';
import { run } from './run.js';

process.exitCode = await run(process.argv.slice(2));
