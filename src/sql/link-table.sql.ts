/** The table of links. */
import { LINK_TABLE } from '../model/names.js';
import { ident, type Fragment } from './fragment.js';

export function linkTable(schema: string): Fragment {
  return ident(schema, LINK_TABLE);
}
