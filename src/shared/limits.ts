/** The named bounds of the service. Each is part of the contract (docs/limits.md) unless it says otherwise. */
export const LIMITS = {
  /** Units of one list. */
  pageDefault: 100,
  pageMax: 1000,
  offsetMax: 1_000_000_000,
  /** Terms of one `order`. */
  orderTerms: 16,
  /** Objects of one bulk create. */
  bulk: 1000,
  filterBytes: 8 * 1024,
  filterTests: 200,
  filterDepth: 20,
  /** References of one dotted path, and of units inside one another in a body. */
  references: 3,
  /** Units that one body has inside others. */
  nestedUnits: 10_000,
  /** Bytes of the defaults that one write puts into new units, as JSON. */
  defaultBytes: 16 * 1024 * 1024,
  /** Dotted paths of one `include`. */
  includedPaths: 100,
  /** Units that filter, order and include of one query look up over references, each way once. */
  queryLookups: 30,
  /** Tests of all rules of one operation of an `access`, and units that they look up over references. */
  ruleTests: 250,
  ruleLookups: 20,
  /**
   * Points of one statement, in some 75 kB of PostgreSQL's memory each: one for a table that it reads, and for every
   * hundred columns of it, four times as many for one that is looked up over a reference; one for 250 characters.
   */
  statementPoints: 2000,
  /** Code points of a `pattern`. */
  patternLength: 500,
  /** Instructions of a compiled pattern. */
  patternSize: 2500,
  /** Instructions of patterns times characters that are matched against them, in one unit. */
  patternSteps: 5_000_000,
  /** Seconds in which a request has its texts matched against patterns, and a change of definitions the stored ones. */
  patternSeconds: 2,
  patternSecondsOfChange: 30,
  /** Bytes of a binary value whose parameter sets no `max_length`. */
  binaryBytes: 1024 * 1024,
  /** Messages of one refusal: a hostile body is not worth more. */
  faults: 1000,
  /** Unique values that are looked up to tell all that other units have, when PostgreSQL refused one. */
  uniqueLookups: 20_000,
  /** Characters of one message of a refusal. */
  messageLength: 1000,
  /** Nesting of a JSON value. */
  jsonDepth: 100,
  /** Parameters of one kind: PostgreSQL counts dropped columns too, up to 1600. */
  parametersPerKind: 400,
  /** Lists in `unique`, and in `indexes`, of one kind, and parameters of one such list: PostgreSQL has no wider index. */
  columnLists: 64,
  listedColumns: 32,
  /** Rules of one operation of an `access`. */
  accessRules: 100,
  kindsPerProject: 2000,
  parametersPerProject: 20_000,
  groupsPerProject: 1000,
  linkTypesPerProject: 1000,
  /** Bytes of all definitions of a project, as JSON. */
  definitionBytes: 16 * 1024 * 1024,
  /** Elements of `values`, and bytes of them, or of a default, as JSON. */
  allowedValues: 1000,
  valuesBytes: 128 * 1024,
  labelLength: 500,
  /** Faults of one answer for which the nearest known name is looked up, and names among which it is. */
  hints: 10,
  hintNames: 1000,
  /** Values inside one JSON value, and keys of one object. */
  jsonValues: 500_000,
  jsonKeys: 50_000,
  /** Levels of a large body, as a whole, and its objects and lists: each takes memory however few characters it has. */
  bodyDepth: 200,
  bodyContainers: 1_000_000,
  /** Units of a kind above which its indexes are built in the background, while it is written. */
  indexedInTransaction: 10_000,
  /** Bytes of a body where little is asked for: of sign-in and the like, and of links. */
  smallBody: 128 * 1024,
  /** Bytes of the bodies that one process keeps at once, inflated: of all projects, of one, and what each always has. */
  bodiesInFlight: 64 * 1024 * 1024,
  bodiesPerProject: 32 * 1024 * 1024,
  bodiesGuaranteed: 1024 * 1024,
  /** Those of a project's callers without a token: of all of them, and of those at one address. */
  bodiesAnonymous: 16 * 1024 * 1024,
  bodiesPerAddress: 8 * 1024 * 1024,
  /** Seconds in which the head of a request arrives, and fields that it has. */
  headSeconds: 15,
  headerFields: 1000,
  /** Seconds in which a body arrives; it has longer where it comes fast. */
  bodySeconds: 15,
  bodyBytesPerSecond: 256 * 1024,
  /** What is read of a request whose answer is out before all of it came: bytes and seconds of one, and requests of one process. */
  lingerBytes: 32 * 1024 * 1024,
  lingerSeconds: 15,
  lingerRequests: 500,
  /** Mails that wait to be sent, of one process: of all projects, and of one. */
  mailsWaiting: 1000,
  mailsPerProject: 200,
  functionMailsWaiting: 750,
  functionMailsPerProject: 150,
  /** Requests of one project that wait for their share of the database, and changes of its definitions, of one process. */
  requestsWaiting: 2000,
  changesWaiting: 500,
  /** Passwords that wait to be hashed, of one process: of all projects, and of one. */
  hashesWaiting: 250,
  hashesPerProject: 100,
  /** Bytes of one API document. */
  documentBytes: 16 * 1024 * 1024,
  /** Bytes of the JSON of one answer, in UTF-8. */
  answerBytes: 32 * 1024 * 1024,
  /** Bytes of the descriptors of one struct, and of what a filter and an order of it look at, as JSON. */
  structBytes: 4 * 1024 * 1024,
  /** Bytes of answers that the clients of one process have not taken, and seconds without a byte taken of one. */
  unreadBytes: 256 * 1024 * 1024,
  unreadSeconds: 60,
  /** Seconds that a statement of a caller without a token has, of the thirty that all others have. */
  anonymousSeconds: 5,
  /** Units that one deletion takes along, itself among them, and seconds that it has. */
  deletedUnits: 100_000,
  deletionSeconds: 30,
  /** Units that one walk along links reaches, and links that each of its steps follows. */
  walkUnits: 200_000,
  walkLinks: 2_000_000,
  /** Linked units that `load_links` adds to a unit in each direction, and to all units of a page. */
  loadedPerUnit: 1000,
  loadedPerPage: 100_000,
  /** Links that each step of all walks of one page follows for that. */
  loadedLinks: 200_000,
} as const;

/** Characters of a password. */
export const PASSWORD_LENGTH = { min: 8, max: 128 } as const;
