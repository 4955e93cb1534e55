/** What agents may change of a model: definitions, and nothing that decides who comes in. Pure. */
import { FILE_KIND } from '../model/built-in-traits.js';
import { hasMemberKind, isMemberKind, kindsUsing, type Model, recordOfParameter } from '../model/model.js';
import { Faults } from '../shared/errors.js';
import { namedByRecord } from '../shared/identifiers.js';
import type { Json } from '../shared/json.js';
import { type Definition, droppedPlace } from './definitions.js';
import type { ModelFile } from './read-model-file.js';
import { builtInRecord, type Section } from './sections.js';

const TAKEN: ReadonlySet<Section> = new Set(['parameters', 'kinds', 'groups', 'links']);

/** @throws KindError 403 with all that no agent changes */
export function checkAgentFile(file: ModelFile, model: Model): void {
  const faults = new Faults();
  const refuse = (path: string, text: string) => faults.add('key.not_here', `${path}: ${text}`, { parameter: path });
  if (!file.partial) refuse('partial', 'agents change parts of the model alone: true');
  for (const name of Object.keys(file.settings)) refuse(`settings.${name}`, 'agents change no settings');
  for (const { kindId } of file.seeds) refuse(`units.${kindId}`, 'a model file of an agent has no units');
  for (const name of file.drop) {
    const fault = placeFault(droppedPlace(name), model);
    if (fault !== undefined) refuse(name, fault);
  }
  for (const definition of file.definitions.values()) {
    const path = `${definition.section}.${definition.id}`;
    const fault = placeFault(definition, model);
    if (fault !== undefined) refuse(path, fault);
    for (const name of openFields(definition)) refuse(`${path}.${name}`, 'agents open nothing to strangers');
  }
  faults.throwIfAny();
}

const MEMBERS = 'agents change no kinds of members';

function placeFault(
  { section, id, was }: Pick<Definition, 'section' | 'id' | 'was'>,
  model: Model,
): string | undefined {
  if (!TAKEN.has(section)) return `agents change no ${section}`;
  const ids = was === undefined ? [id] : [id, was];
  if (section === 'parameters') return ids.some((each) => isOfMembers(each, model)) ? MEMBERS : undefined;
  if (section === 'kinds' && ids.some((each) => hasMemberKind(model, each))) return MEMBERS;
  const builtIn = ids.find((each) => builtInRecord(section, each) && each !== FILE_KIND);
  return builtIn === undefined ? undefined : `of what is built in, agents change '${FILE_KIND}' alone`;
}

/** @param id of a parameter, which may be shared, or become a kind's own one instead of a shared one */
function isOfMembers(id: string, model: Model): boolean {
  const { id: name, ownKind = '' } = namedByRecord(id);
  const kind = model.kinds.get(ownKind);
  const present = kind?.fields.has(name) ? recordOfParameter(kind, name) : id;
  return kindsUsing(model, present).some(isMemberKind);
}

/** What lets strangers read, write or sign up, whatever it was before. */
function openFields({ values }: Definition): string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    if (name === 'public') return [name];
    if (name === 'read_access' || name === 'write_access') return hasAnyone(value) ? [name] : [];
    if (name !== 'access' || typeof value !== 'object' || value === null) return [];
    const access = Object.entries(value).filter(([operation, level]) => operation === 'signup' || hasAnyone(level));
    return access.map(([operation]) => `access.${operation}`);
  });
}

function hasAnyone(level: Json): boolean {
  return (Array.isArray(level) ? level : [level]).includes('anyone');
}
