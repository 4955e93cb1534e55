/** Where the units of a kind are stored, and what that allows. Other code tests these flags, not the type. */
export interface UnitStorage {
  readonly type: 'table' | 'remote';
  /** The units are rows of a table of the project. */
  readonly hasTable: boolean;
  /** References to its units, and from its units to others, have foreign keys. */
  readonly foreignKeys: boolean;
  /** Access rules can be evaluated for its units. */
  readonly rules: boolean;
  /** One statement can read its units together with units of other kinds. */
  readonly unions: boolean;
  /** Writes are part of the session's transaction, and are rolled back with it. */
  readonly transactional: boolean;
  /** One request can create many units. */
  readonly bulk: boolean;
  /** A request can also create the units that a new unit refers to. */
  readonly nested: boolean;
  /** Units can be linked by users' link types. */
  readonly links: boolean;
  /** The service sets `inserted_at` and `updated_at`. */
  readonly timestamps: boolean;
  /** The number of units is stored, so that a list does not count them. */
  readonly counted: boolean;
}

const TABLE_STORAGE: UnitStorage = {
  type: 'table',
  hasTable: true,
  foreignKeys: true,
  rules: true,
  unions: true,
  transactional: true,
  bulk: true,
  nested: true,
  links: true,
  timestamps: true,
  counted: true,
};

/** Built-in kinds: a request creates one unit, and only internal link types can link units. */
const BUILT_IN_TABLE: UnitStorage = { ...TABLE_STORAGE, bulk: false, links: false, counted: false };

/** Units that a source outside of the service returns. */
const REMOTE_STORAGE: UnitStorage = {
  type: 'remote',
  hasTable: false,
  foreignKeys: false,
  rules: false,
  unions: false,
  transactional: false,
  bulk: false,
  nested: false,
  links: false,
  timestamps: false,
  counted: false,
};

export function storageOf(remote: boolean, builtIn: boolean): UnitStorage {
  if (remote) return REMOTE_STORAGE;
  return builtIn ? BUILT_IN_TABLE : TABLE_STORAGE;
}
