/** Models without a database: records as a project would store them. */
import { buildModel, builtInRecords } from '../../src/model/build/build-model.js';
import type { KindDef, Model } from '../../src/model/model.js';
import { SETTING_LIST } from '../../src/model/parameter-setting/parameter-settings.js';
import type { ParameterTypeId } from '../../src/model/parameter-type/parameter-types.js';
import type {
  GroupRecord,
  KindRecord,
  LinkTypeRecord,
  ParameterRecord,
} from '../../src/model/build/definition-records.js';

type Given = Partial<Omit<ParameterRecord, 'id' | 'kind_id'>>;

/** A record of a parameter: `parameter('name', 'string', { unique: true })`. */
export function parameter(id: string, type: ParameterTypeId, given: Given = {}): ParameterRecord {
  const settings = SETTING_LIST.map(([name, { unset }]) => [name, unset ?? null]);
  return {
    ...(Object.fromEntries(settings) as ParameterRecord),
    ...{ id, kind_id: type, label: id, persistence: 'kind_parameter', default_value: null },
    ...given,
  };
}

/** A record of a kind: `kind('city', ['name'])`. */
export function kind(id: string, parameters: readonly string[], given: Partial<KindRecord> = {}): KindRecord {
  return {
    ...{
      id,
      label: id,
      active: true,
      remote: false,
      public: false,
      parameters,
      unique: [],
      indexes: [],
      checks: [],
      accepted: null,
      access: null,
    },
    ...given,
  };
}

export interface Records {
  readonly kinds?: readonly KindRecord[];
  readonly parameters?: readonly ParameterRecord[];
  readonly links?: readonly LinkTypeRecord[];
  /** More kinds in a group. */
  readonly members?: readonly string[];
}

/** The model of a project with these definitions beside the built-in ones. */
export function modelWith({ kinds = [], parameters = [], links = [], members = [] }: Records): Model {
  const own = builtInRecords();
  const groups = own.groups.map((group): GroupRecord =>
    group.id === 'kind_auth_member' ? { ...group, kind_list: [...group.kind_list, ...members] } : group,
  );
  return buildModel({
    ...own,
    version: 1,
    kinds: [...own.kinds, ...kinds],
    parameters,
    groups,
    links: [...own.links, ...links],
  });
}

export function kindIn(model: Model, id: string): KindDef {
  const found = model.kinds.get(id);
  if (!found) throw new Error(`no kind ${id}`);
  return found;
}
