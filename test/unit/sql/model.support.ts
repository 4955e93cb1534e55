/** A model with one kind, for statements that are rendered but not executed. */
import { listQueryOf } from '../../support/list-query.js';
import { buildModel, builtInRecords } from '../../../src/model/build/build-model.js';
import type { KindDef } from '../../../src/model/model.js';
import type { ParameterRecord } from '../../../src/model/build/definition-records.js';
import type { ListPlan } from '../../../src/sql/list/select.sql.js';
import { planList } from '../../../src/unit/query/list.plan.js';

const parameter = (id: string, kind_id: ParameterRecord['kind_id'], nullable: boolean) =>
  ({ id, kind_id, label: id, multiple: false, nullable, unique: false }) as ParameterRecord;

const built = builtInRecords();

export const MODEL = buildModel({
  ...built,
  parameters: [parameter('name', 'string', true), parameter('size', 'integer', false)],
  kinds: [
    ...built.kinds,
    {
      ...{ id: 'city', label: 'City', active: true, remote: false, public: false },
      ...{ parameters: ['name', 'size'], unique: [], indexes: [], checks: [], accepted: null, access: null },
    },
  ],
});

export const CITY = MODEL.kinds.get('city') as KindDef;

/** The plan of a list as a caller asks for it who may read everything. */
export function listPlan(query: string): ListPlan {
  return planList(listQueryOf(`/?${query}`), {
    ...{ schema: 'project_x', kind: CITY, access: undefined, visible: CITY.fields },
  });
}
