import { RequestSlot } from './request-slot.js';

/** The position of the operation of a batch that runs at present. Messages of its errors name it. */
export const currentOperation = new RequestSlot<number | undefined>();
