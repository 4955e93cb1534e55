/** The limits of the service. Each is part of the contract (docs/limits.md) unless its comment says otherwise. */
export const LIMITS = {
  /** Units of one list. */
  pageDefault: 100,
  pageMax: 1000,
  offsetMax: 1_000_000_000,
  /** Fields of one aggregation, `select` and `group` together, and `offset` plus `limit` of its groups. */
  aggregateFields: 50,
  groupsMax: 10_000,
  /** `count_distinct` in one aggregation: each sorts its values. */
  distinctCounts: 10,
  /** `each` in one aggregation: two make every pair of elements. */
  eachLists: 2,
  /** Pairs of elements of two lists that `each` makes of all units of one aggregation. */
  eachPairs: 1_000_000,
  /** Terms of one `order`. */
  orderTerms: 16,
  /** Objects of one bulk create, links of one body, and units that a write by filter answers. */
  bulk: 1000,
  /** Bytes of a model file as YAML and as JSON, seconds in which it is read, and how many are read at once. */
  modelFileYaml: 1024 * 1024,
  modelFileJson: 4 * 1024 * 1024,
  modelFileSeconds: 5,
  modelFilesAtOnce: 2,
  /** Seconds for which a change of definitions waits for the lock of a table, each time that it is tried. */
  tableLockSeconds: 3,
  /** Requests that wait for changes: of a process, of a project, and of one member, key or address. */
  streams: 2000,
  streamsOfProject: 500,
  streamsOfCaller: 6,
  /** Seconds for which a request waits for changes. */
  waitSeconds: 25,
  /** Live lists of one stream, and seconds that it lasts. */
  liveQueries: 20,
  liveSeconds: 3600,
  /** Seconds between two readings of a live list with a rule that has `@now`. */
  liveReadSeconds: 30,
  /** Bytes that a stream may have unsent, so that it is sent no more; one event or page may exceed it. */
  liveUnsent: 1024 * 1024,
  /** Changes that are sent one by one to a live list; instead of more, its page is sent again. */
  liveChanges: 500,
  /** Webhooks of one project; headers of one, and characters of each. */
  webhooksOfProject: 50,
  webhookHeaders: 10,
  webhookHeaderLength: 4000,
  /** Pings of webhooks of one project in a minute. */
  webhookPings: 6,
  /** Bytes of what is sent to a webhook; larger without the unit and values. */
  webhookBytes: 256 * 1024,
  /** Bytes of the events of `after_commit` that are read together; larger ones are read one by one. */
  eventBytes: 4 * 1024 * 1024,
  /** Deliveries at the same time: of one webhook, of one project, and of a process. */
  deliveriesOfHook: 4,
  deliveriesOfProject: 16,
  deliveries: 64,
  /** Seconds of one attempt, bytes of the answer that are read, and attempts of a project to a host that fail in a second. */
  deliverySeconds: 10,
  deliveryAnswer: 64 * 1024,
  deliveryFailures: 10,
  /** Events that fail for good, one after the other, until their webhook is paused. */
  webhookFailures: 10,
  /** Deliveries of one webhook that are kept. */
  deliveriesKept: 100_000,
  /** Days for which deliveries are kept, and what has failed, of `after_commit` too. */
  deliveredDays: 3,
  failedDays: 30,
  /** Changes that a webhook, or `after_commit` of a kind, has taken and not done. */
  changesTaken: 1000,
  /** Units of one kind whose `after_commit` runs at the same time, and how often one may set off the next. */
  commitsOfKind: 4,
  commitDepth: 10,
  /** Failures of `after_commit` of one project that are kept. */
  commitFailures: 10_000,
  /** Operations of one batch, seconds for all of them, and characters of a `path`, before and after references. */
  batchOperations: 100,
  batchSeconds: 30,
  batchPath: 16 * 1024,
  /** Characters of JSON that the references in the bodies of a batch stand for together. */
  batchReferences: 1024 * 1024,
  /** Bytes of an answer that is kept for an idempotency key. */
  keptAnswer: 1024 * 1024,
  /** Bytes of the answers that a project keeps for idempotency keys in a day. */
  keptPerProject: 4 * 1024 * 1024 * 1024,
  /** Sizes of pictures of one project, and pixels of a side of one. */
  imageSizes: 20,
  imageSide: 4096,
  /** Of a picture that is made in another size: its bytes, its pixels, and seconds and bytes of memory to make it. */
  imageBytes: 256 * 1024 * 1024,
  imagePixels: 50_000_000,
  imageSeconds: 10,
  imageMemory: 512 * 1024 * 1024,
  /** Pictures that one process makes at the same time in other sizes, and those that wait: of all projects, and of one. */
  imagesAtOnce: 2,
  imagesWaiting: 50,
  imagesWaitingPerProject: 40,
  /** Seconds for which the address of a file opens it: by default, at least and at most. */
  fileUrlSeconds: 3600,
  fileUrlSecondsMin: 60,
  fileUrlSecondsMax: 604_800,
  /** Units that one edit or deletion by filter changes: by default and at most, and its timeout in seconds. */
  affectedDefault: 1000,
  affectedMax: 100_000,
  affectedSeconds: 30,
  /** Seconds that a write, while it holds its locks, takes to read what it answers. */
  writtenSeconds: 5,
  filterBytes: 8 * 1024,
  /** Bytes of a `search`, and characters of a unit that it reads. */
  searchBytes: 1024,
  searchedCharacters: 100_000,
  /** `snippet` in one `include`. */
  snippets: 10,
  filterTests: 200,
  filterDepth: 20,
  /** Functions over related units (`exists`, `count_related`, `linked`, …) inside one another, and in one request. */
  relatedDepth: 3,
  relatedUnits: 20,
  /** Kinds whose references a list looks at for `referred`, for callers who are no administrators. */
  referringKinds: 20,
  /** Units of one `related`, and units that `related` adds to all units of a page at most. */
  relatedDefault: 20,
  relatedMax: 100,
  relatedPerPage: 100_000,
  /** Functions such as `mul` inside one another in an expression, and expressions of one request. */
  expressionDepth: 5,
  expressions: 20,
  /** Characters of the text that `similar` and `similarity` compare with. */
  similarCharacters: 200,
  /** Characters at the beginning of a stored text that `similar` and `similarity` compare. */
  comparedCharacters: 10_000,
  /** Kinds whose units the functions of one request that name no kinds test. */
  relatedKinds: 500,
  /** References in one dotted path, and levels of units inside others in a body. */
  references: 3,
  /** Nested units of one body. */
  nestedUnits: 10_000,
  /** Bytes of defaults that one write stores in new units, as JSON. */
  defaultBytes: 16 * 1024 * 1024,
  /** Dotted paths of one `include`. */
  includedPaths: 100,
  /** Lookups over references by filter, order and include of one query; each reference counts once. */
  queryLookups: 30,
  /** Tests in all rules of one operation of an `access`, and lookups over references in them. */
  ruleTests: 250,
  ruleLookups: 20,
  /** The same tests, where functions over linked units count in each kind; a lookup there is four. */
  ruleTestsInKinds: 1000,
  /**
   * Cost of one statement, in points of about 75 kB of PostgreSQL's memory: one per table that it reads and per hundred
   * columns of it, four times that for a table joined over a reference; one per 250 characters of SQL.
   */
  statementPoints: 2000,
  /** Bytes of the temporary files of one statement in PostgreSQL, where the role may set `temp_file_limit`. */
  temporaryBytes: 1024 * 1024 * 1024,
  /** Code points of a `pattern`. */
  patternLength: 500,
  /** Instructions of a compiled pattern. */
  patternSize: 2500,
  /** Instructions of patterns times characters matched against them, for one unit. */
  patternSteps: 5_000_000,
  /** Seconds of pattern matching for one request, and for one change of definitions, which matches stored values. */
  patternSeconds: 2,
  patternSecondsOfChange: 30,
  /** Bytes of a binary value without a `max_length`. */
  binaryBytes: 1024 * 1024,
  /** Messages of one error answer. */
  faults: 1000,
  /** Unique values that are looked up to report all taken ones, after PostgreSQL refused one. */
  uniqueLookups: 20_000,
  /** Characters of one message. */
  messageLength: 1000,
  /** Nesting of a JSON value. */
  jsonDepth: 100,
  /** Parameters of one kind. PostgreSQL allows 1600 columns, including dropped ones. */
  parametersPerKind: 400,
  /** Parameters of one link type, and of all of a project, which have columns of one table. */
  parametersPerLinkType: 50,
  linkParametersPerProject: 500,
  /** Lists in `unique` and in `indexes` of one kind, and parameters of one such list, which PostgreSQL limits to 32. */
  columnLists: 64,
  listedColumns: 32,
  /** Checks of one kind, tests in all of them, and characters of the text of one. */
  checksPerKind: 20,
  checkTests: 500,
  checkTextLength: 500,
  /** Characters of the reason in an `accepted`. */
  acceptedLength: 500,
  /** Rules of one operation of an `access`. */
  accessRules: 100,
  kindsPerProject: 2000,
  parametersPerProject: 20_000,
  groupsPerProject: 1000,
  linkTypesPerProject: 1000,
  /** Bytes of all definitions of a project, as JSON. */
  definitionBytes: 16 * 1024 * 1024,
  /** Elements of `values`; bytes of `values`, or of a default, as JSON. */
  allowedValues: 1000,
  /** Allowed values of a parameter with transitions, and its transitions. */
  transitionValues: 200,
  transitions: 1000,
  /** Units of one body of which a refusal says where their transitions lead. */
  toldTransitions: 20,
  /** Elements of `accept`. */
  acceptedTypes: 100,
  valuesBytes: 128 * 1024,
  labelLength: 500,
  /** Faults of one answer with a "did you mean" hint, and candidates for it. */
  hints: 10,
  hintNames: 1000,
  /** Values inside one JSON value, and keys of one object in it. */
  jsonValues: 500_000,
  jsonKeys: 50_000,
  /** Objects inside the object of a `$merge`, and bytes in PostgreSQL of the list or JSON that an expression makes. */
  mergedObjects: 100,
  resultBytes: 16 * 1024 * 1024,
  /** Levels, and objects and lists, of a whole body: each takes memory even if it has few characters. */
  bodyDepth: 200,
  bodyContainers: 1_000_000,
  /** Units of a kind up to which its indexes are built in the transaction of the change; above, in the background. */
  indexedInTransaction: 10_000,
  /** Units, and links, that a plan of a model file reads of a table, and that a change of types writes anew. */
  rewrittenUnits: 100_000,
  /** Bytes of a body of fixed shape, as for sign-in and single links. */
  smallBody: 128 * 1024,
  /** Bytes of a body of an inbound call, as they come. */
  endpointBody: 1024 * 1024,
  /** Inbound calls in a minute: from one address to a project, and to a project. */
  endpointCallsPerAddress: 600,
  endpointCalls: 3000,
  /** Calls of tools in a minute by one agent's key, and by all of a project; how many of a key run at once, and seconds of each. */
  agentCallsPerMinute: 60,
  agentCallsOfProject: 600,
  agentCallsAtOnce: 4,
  agentSeconds: 10,
  /** Days for which the calls of agents are recorded. */
  agentCallDays: 30,
  /** Bytes of an answer to an agent, characters of a text in it, and of a page of a longer one. */
  agentAnswerBytes: 100_000,
  agentTextLength: 2000,
  agentPageLength: 50_000,
  /** Bytes of a file that are read to find a page of its text, and of a picture. */
  agentFileBytes: 16 * 1024 * 1024,
  agentPictureBytes: 1024 * 1024,
  /** Endpoints of one module. */
  endpointsOfModule: 20,
  /** Scheduled functions of one project, seconds of one run, and runs that are kept, with the days for which they are. */
  schedulesOfProject: 50,
  scheduledSeconds: 600,
  runsKept: 10_000,
  runDays: 30,
  /**
   * Bytes of bodies (decompressed) in the memory of one process: of all projects, of one, and what each project can
   * always use.
   */
  bodiesInFlight: 64 * 1024 * 1024,
  bodiesPerProject: 32 * 1024 * 1024,
  bodiesGuaranteed: 1024 * 1024,
  /** The part of a project's bytes for callers without a token: for all of them, and for one address. */
  bodiesAnonymous: 16 * 1024 * 1024,
  bodiesPerAddress: 8 * 1024 * 1024,
  /** API keys of one member; parts of one scope, and kinds that they name together. */
  keysPerMember: 100,
  scopeParts: 50,
  scopeKinds: 500,
  /** Passkeys of one member; origins that may ask for those of a project. */
  passkeysPerMember: 20,
  passkeyOrigins: 20,
  /** Identity providers of a project; characters of an issuer, of the secret of a client, and of the name of a claim. */
  providersOfProject: 20,
  issuer: 500,
  clientSecret: 2000,
  claimName: 200,
  /**
   * Seconds of one request to an identity provider; bytes of its discovery, and of its keys; characters of what is used
   * of them, and bytes of its other answers; requests of a project to one host at the same time.
   */
  providerSeconds: 5,
  providerAnswer: 1024 * 1024,
  providerUsed: 64 * 1024,
  providerRequests: 16,
  /** Addresses that a sign-in with an identity provider may lead back to, and characters of each. */
  redirects: 20,
  redirectLength: 500,
  /** Sign-ins of each sort that are under way in a project, new passkeys and tickets: beyond it, the oldest end. */
  signInsUnderWay: 100_000,
  /** Characters of the `state` of an application, and of what is passed on to a provider. */
  providerState: 512,
  providerHint: 254,
  identitiesPerMember: 20,
  /** Characters of the name of a file, and bytes of a content in a JSON body. */
  fileName: 255,
  fileInJson: 1024 * 1024,
  /** Contents of files of one write, or of one call of a function. */
  filesInTransaction: 200,
  /** Bytes of a file that a caller without a token uploads. */
  fileAnonymous: 10 * 1024 * 1024,
  /** Uploads at the same time: in one process, of one project, and of its callers without a token. */
  uploads: 64,
  uploadsPerProject: 8,
  uploadsAnonymous: 2,
  /** Contents of files that one call of a function, or a hook, reads at the same time. */
  filesOpen: 16,
  /** Bytes of the field `values` of a form. */
  formValues: 256 * 1024,
  /** Resumable uploads of one member that are open, parts of one, bytes of one part, and seconds after which it expires. */
  uploadsOfMember: 10,
  uploadParts: 10_000,
  uploadPieceBytes: 64 * 1024 * 1024,
  uploadLife: 24 * 60 * 60,
  /** Seconds for which a request has an upload if it does not say so again, and that another one waits for it. */
  uploadHeldSeconds: 10,
  uploadWaitSeconds: 5,
  /** Seconds for the head of a request to arrive, and its number of fields. */
  headSeconds: 15,
  headerFields: 1000,
  /** Seconds for a body to arrive, plus one per `bodyBytesPerSecond` received. */
  bodySeconds: 15,
  bodyBytesPerSecond: 256 * 1024,
  /**
   * Lingering close: bytes and seconds to read of a request after its answer was sent, bytes a second of all of them,
   * and such connections of one process.
   */
  lingerBytes: 32 * 1024 * 1024,
  lingerSeconds: 15,
  lingerBytesPerSecond: 32 * 1024 * 1024,
  lingerRequests: 500,
  /** Mails that wait to be sent in one process: of all projects, and of one. */
  mailsWaiting: 1000,
  mailsPerProject: 200,
  functionMailsWaiting: 750,
  functionMailsPerProject: 150,
  /** Requests that wait for a database connection in one process, of one project and of all; changes of its definitions. */
  requestsWaiting: 2000,
  requestsWaitingOfAll: 5000,
  changesWaiting: 500,
  /** Passwords that wait to be hashed in one process: of all projects, and of one. */
  hashesWaiting: 250,
  hashesPerProject: 100,
  /** Bytes of one API document. */
  documentBytes: 16 * 1024 * 1024,
  /** Bytes of the JSON of one answer, in UTF-8. */
  answerBytes: 32 * 1024 * 1024,
  /** Bytes of the descriptors of one struct, and of the definitions that its filter and order use, as JSON. */
  structBytes: 4 * 1024 * 1024,
  /**
   * Bytes of answers that wait for clients to read them, in one process, and seconds after which a client that reads
   * nothing is disconnected.
   */
  unreadBytes: 256 * 1024 * 1024,
  unreadSeconds: 60,
  /** Exports and imports of one project at the same time, in one process. */
  transfersPerProject: 2,
  /** Imports whose file arrives at the same time, in one process and of one project: each keeps `importedAhead` bytes. */
  importsArriving: 32,
  importsArrivingPerProject: 4,
  /**
   * Seconds of one export or import, and seconds that it may wait for its client, plus one per `bodyBytesPerSecond`
   * transferred.
   */
  transferSeconds: 3600,
  /** Seconds of its transaction, which keeps PostgreSQL from cleaning up for all projects; commands have `transferSeconds`. */
  transferTransactionSeconds: 900,
  transferWaitSeconds: 30,
  /**
   * Bytes of one part of a content on its way to a bucket, and of those of one process together; seconds that an upload
   * waits for its turn; bytes that it may have in memory without one.
   */
  storePart: 8 * 1024 * 1024,
  storeParts: 64 * 1024 * 1024,
  storePartSeconds: 60,
  storeUnpooled: 512 * 1024,
  /** Seconds in which a bucket answers, plus one per `bodyBytesPerSecond` sent, and in which more of a content comes. */
  storeSeconds: 30,
  /** What a disk with contents keeps free, whichever is less: bytes, and percent of the disk. */
  storeFreeBytes: 1024 * 1024 * 1024,
  storeFreePercent: 5,
  /**
   * Characters of one record of an imported file, how many times as large a compressed file may become, and lines that
   * one of its bytes may make.
   */
  importedRecord: 4 * 1024 * 1024,
  importedInflation: 200,
  importedLines: 20,
  /**
   * Bytes of the text of an imported file that arrive before its transaction begins, and that are kept while it is read,
   * so that a conflict can be tried again.
   */
  importedAhead: 128 * 1024 * 1024,
  importedKept: 256 * 1024 * 1024,
  /** Timeout in seconds of a statement for a caller without a token; 30 for all others. */
  anonymousSeconds: 5,
  /** Units of one deletion with all that it cascades to, and its timeout in seconds. */
  deletedUnits: 100_000,
  deletionSeconds: 30,
  /** Links whose hooks run in one deletion of units, or in one `replace`. */
  hookedLinks: 10_000,
  /** The `depth` of traversals and of `load_links`: one less than the steps. */
  walkDepth: 10,
  /** Units that one traversal of links reaches, and links that each of its steps follows. */
  walkUnits: 200_000,
  walkLinks: 2_000_000,
  /** Links that one request deletes which replaces the links of a unit. */
  replacedLinks: 100_000,
  /** Linked units that `load_links` adds: to one unit in each direction, and to all units of a page. */
  loadedPerUnit: 1000,
  loadedPerPage: 100_000,
  /** Links that each step of the traversals for one page follows for `load_links`. */
  loadedLinks: 200_000,
} as const;

/** Characters (code points) of a password. */
export const PASSWORD = { minLength: 8, maxLength: 128 } as const;
