/**
 * Imported first, because V8 applies these flags only to later code.
 *
 * The heap grows in smaller steps, so that a burst of large bodies does not leave a large process. Measured with the
 * import of the demo (135,000 units): 207 to 297 MB without, 168 to 177 MB with it, at the same speed.
 *
 * Allocation sites are never pretenured. After an import, V8 allocated objects of Nest and Express for each request in
 * the old generation, where they kept all of their request alive until the next full collection. Measured after the
 * same import: a get of one unit took 244 µs of processor time without, 134 µs with it.
 */
import { setFlagsFromString } from 'node:v8';

setFlagsFromString('--heap-growing-percent=30');
setFlagsFromString('--no-allocation-site-pretenuring');
