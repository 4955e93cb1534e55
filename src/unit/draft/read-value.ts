/** A value of a body that was read before: the write takes it as it is. Nothing that a client sends is one. Pure. */
import type { Stored } from '../../model/parameter-type/parameter-type.js';

export abstract class ReadValue {
  constructor(readonly stored: Stored) {}
}
