/**
 * Random tests (fast-check) take one seed for a whole run, so that a run can be repeated. `FUZZ_SEED=<integer>` sets
 * another one; a failure prints it.
 */
import fc from 'fast-check';

const seed = Number(process.env.FUZZ_SEED ?? 20261122);
if (!Number.isInteger(seed)) throw new Error(`FUZZ_SEED is an integer, not ${String(process.env.FUZZ_SEED)}.`);
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
