/** What an application uses. `kind client` writes all modules as one file, with these exports. */
export type {
  AggregateQuery,
  HistoryQuery,
  LinkRecord,
  LinkedUnit,
  LinksQuery,
  LiveOptions,
  Page,
  Version,
  Versioned,
} from './operations.js';
export type { Auth, SecondStep } from './auth.js';
export type { ChangeEvent, ChangesQuery } from './changes.js';
export type { FileUnit, UploadOptions } from './files.js';
export { Call, KindError } from './call.js';
export type { EditOptions, Message, Options, Result, WriteOptions } from './call.js';
export { createClient } from './client.js';
export type { Client } from './client.js';
export type { Facts, KindClient } from './operations.js';
export type { Filter, Filters, Rights, Term } from './filters.js';
export type {
  Change,
  Inc,
  Include,
  Json,
  JsonList,
  JsonObject,
  KindShape,
  Merge,
  Row,
  SetTo,
  Shapes,
} from './kinds.js';
export type { ClientOptions, Member, TokenStorage } from './session.js';
