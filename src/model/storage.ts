/** Where the units of a kind are stored, and what that makes possible. No other code asks whether a kind is remote. */
export interface UnitStorage {
  readonly type: 'table' | 'remote';
  /** The units are rows of a table of the project. */
  readonly hasTable: boolean;
  /** Foreign keys hold references to its units, and those of its units to others. */
  readonly foreignKeys: boolean;
  /** Access rules can be evaluated for its units. */
  readonly rules: boolean;
  /** One statement can read its units together with units of other kinds. */
  readonly unions: boolean;
  /** Writes belong to the transaction of the session, and are undone with it. */
  readonly transactional: boolean;
  /** One request can create many units. */
  readonly bulk: boolean;
  /** Units that a new one refers to can be created by the same request. */
  readonly nested: boolean;
  /** Units can be linked by link types of users. */
  readonly links: boolean;
  /** The service sets `inserted_at` and `updated_at`. */
  readonly timestamps: boolean;
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
};

/** Kinds of the model are written one by one, and have link types of the system. */
const BUILT_IN_TABLE: UnitStorage = { ...TABLE_STORAGE, bulk: false, links: false };

/** Units that a source outside of the service supplies. */
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
};

export function storageOf(remote: boolean, builtIn: boolean): UnitStorage {
  if (remote) return REMOTE_STORAGE;
  return builtIn ? BUILT_IN_TABLE : TABLE_STORAGE;
}
