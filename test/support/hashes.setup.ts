/** No test file spends its time on hashing passwords. */
import { useCheapHashes } from './cheap-hashes.js';

useCheapHashes();
