/** Which texts of a unit a search reads. Pure. */
import type { Field, KindDef } from './model.js';
import { isRules, type FieldAccess } from './parameter-setting/access.setting.js';
import { LEVELS, type Level } from './access-levels.js';
import type { SearchConfiguration } from './parameter-setting/search.setting.js';

/** The columns of a kind's table that are searched together, as one text. */
export interface SearchDocument {
  readonly configuration: SearchConfiguration;
  /** In the order of their names, so that the same columns are always the same document. */
  readonly columns: readonly string[];
}

/** What a request searches for in the units of a kind. */
export interface Search {
  readonly text: string;
  /** Undefined if the kind has no text that the caller may search. */
  readonly document: SearchDocument | undefined;
}

/** The document of the searchable fields among some fields of a kind; undefined if there are none. */
export function searchDocument(fields: Iterable<Field>): SearchDocument | undefined {
  const searched = [...fields].filter(({ def, column }) => def.search !== undefined && column !== undefined);
  const [configuration] = searched.flatMap(({ def }) => def.search ?? []);
  if (configuration === undefined) return undefined;
  return { configuration, columns: searched.map(({ column }) => column ?? '').sort() };
}

/** The documents of callers with different rights, each once: what anyone, members and administrators may read. */
export function searchDocuments(kind: KindDef): SearchDocument[] {
  const fields = [...kind.fields.values()];
  const documents = new Map<string, SearchDocument>();
  for (const levels of READABLE_LEVELS) {
    const document = searchDocument(fields.filter(({ def }) => levels.includes(searchLevelOf(def.readAccess))));
    if (document) documents.set(document.columns.join(), document);
  }
  return [...documents.values()];
}

/** A text that only some units show is searched by administrators alone, because a match would reveal it. */
function searchLevelOf(access: FieldAccess | undefined): Level {
  return isRules(access) ? 'admin' : (access ?? 'anyone');
}

/** The levels of `read_access` that each caller passes: its own, and those that are more open. */
const READABLE_LEVELS = LEVELS.slice(0, -1).map((_, at) => LEVELS.slice(0, at + 1));
