/** The columns of an imported CSV file: checks the header row, and reads texts as the types of their parameters. Pure. */
import { readableFields, writableFields } from '../../access/masks.js';
import { parseJson } from '../../http/body/json-text.js';
import type { Field, KindDef, Model } from '../../model/model.js';
import { Faults } from '../../shared/errors.js';
import { shortened } from '../../shared/shortened.js';
import type { Caller } from '../../tenancy/caller.js';
import type { Cell, CsvColumn, ReadHeader } from './csv.reader.js';
import type { RecordFault } from './file-record.js';

export function csvHeaderOf(
  kind: KindDef,
  viewer: { readonly caller: Caller; readonly model: Model },
  keepIds: boolean,
): ReadHeader {
  const known = knownFields(kind, viewer, keepIds);
  return (names, line) => {
    const faults = new Faults();
    const columns = names.map((name, at) => columnOf(name, at, names, { kind, known, faults, line }));
    faults.throwIfAny();
    return columns;
  };
}

/** The fields that bodies may name. What only the system writes is among them: a create says what is wrong with it. */
function knownFields(
  kind: KindDef,
  { caller, model }: { readonly caller: Caller; readonly model: Model },
  keepIds: boolean,
): ReadonlyMap<string, Field> {
  const fields = new Map([...readableFields(kind, caller, model), ...writableFields(kind, caller, model)]);
  if (kind.key === 'uuid' && !keepIds) fields.delete('id');
  return fields;
}

interface Header {
  readonly kind: KindDef;
  readonly known: ReadonlyMap<string, Field>;
  readonly faults: Faults;
  readonly line: number;
}

function columnOf(name: Cell, at: number, names: readonly Cell[], { kind, known, faults, line }: Header): CsvColumn {
  const id = name ?? '';
  const field = known.get(id);
  const shown = shortened(id);
  if (id === '') {
    faults.add('import.bad_header', `column ${at + 1} has no name in the header row`, { line });
  } else if (names.indexOf(name) < at) {
    faults.add('import.bad_header', `${shown}: two columns have this name`, { parameter: shown, line });
  } else if (!field) {
    const hint = id === 'id' ? '; with ids=keep it has the ids of new units' : faults.hint(id, known.keys());
    const text = `${shown}: '${kind.id}' has no such parameter${hint}`;
    faults.add('parameter.unknown', text, { parameter: shown, line });
  }
  return { id, read: field ? readerOf(field) : (text) => text };
}

/** A text that is no value of the type stays a text, so that the create says what it should be. */
function readerOf(field: Field): CsvColumn['read'] {
  const { def, type } = field;
  if (def.multiple) return (text, report) => (/^\s*\[/.test(text) ? jsonOf(field, text, report) : text);
  switch (type.inQuery) {
    case 'number':
    case 'boolean':
      return (text) => type.read(text) ?? text;
    case 'json':
      return (text, report) => jsonOf(field, text, report);
    default:
      return (text) => text;
  }
}

function jsonOf({ id }: Field, text: string, report: (fault: RecordFault) => void): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    const reason = (error as Error).message;
    report({ code: 'parameter.bad_value', text: `${id}: is not valid JSON: ${reason}`, parameter: id });
    return null;
  }
}
