/** Gives the service the type of `duration.type.ts`. Imported before the modules that read the list of types. */
import type { ParameterType } from '../../src/model/parameter-type/parameter-type.js';
import { PARAMETER_TYPE_LIST } from '../../src/model/parameter-type/parameter-types.js';
import { durationType } from './duration.type.js';

(PARAMETER_TYPE_LIST as unknown as ParameterType[]).push(durationType);
