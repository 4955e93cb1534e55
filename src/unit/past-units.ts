/** Units as they were. The history, which the engine does not know, reads them. */
import { Injectable } from '@nestjs/common';
import type { QueryParameters } from '../http/route/parse-list-query.js';
import type { Command } from '../run/command.js';

/** A command that reads a unit as it was. */
type ReadPast = (kindId: string, unitId: string, parameters: QueryParameters) => Command;

@Injectable()
export class PastUnits {
  #read: ReadPast | undefined;

  /** Call it once. */
  use(read: ReadPast): void {
    this.#read = read;
  }

  get: ReadPast = (kindId, unitId, parameters) => {
    if (!this.#read) throw new Error('nobody reads units as they were');
    return this.#read(kindId, unitId, parameters);
  };
}
