/** Validates a module against the kinds of a project: the names in its declarations must exist there. Pure. */
import { checkAccessRules } from '../../access/check-access.js';
import type { KindDef, Model } from '../../model/model.js';
import type { ParameterDef } from '../../model/parameter-type/parameter-def.js';
import { didYouMean } from '../../shared/texts.js';
import type { FunctionDef, ReadyModule, ModuleFault } from './definition.js';
import { accessTexts } from './check-declaration.js';

/** The faults of the module of a kind. The service refuses all calls of a function whose access rule has a fault. */
export function checkFit(module: ReadyModule, kind: KindDef, model: Model): ModuleFault[] {
  const { functions } = module;
  const ofFunctions = [...functions.kind.values(), ...functions.unit.values()].flatMap((def) => {
    const at = `${def.scope === 'unit' ? 'unitFunctions' : 'functions'}.${def.name}`;
    const faults = [
      ...ruleFaults(def, kind, model),
      ...referenceFaults('parameters', def.parameters, model),
      ...answerFaults(def, model),
    ];
    return faults.map((text) => ({ ...def.place, text: `${at}.${text}` }));
  });
  return [...ofFunctions, ...fillFaults(module, kind), ...commitFaults(module, kind)];
}

/** The fault of a hook that never runs, because the changes of its kind are not recorded. */
export function commitFaults({ hooks, place }: ReadyModule, { id, changes }: KindDef): ModuleFault[] {
  if (!hooks.has('after_commit') || changes !== 'none') return [];
  return [{ ...place, text: `hooks.after_commit: does not run, because '${id}' has changes: 'none'` }];
}

function fillFaults({ fills, place }: ReadyModule, { fields }: KindDef): ModuleFault[] {
  return [...fills].flatMap((id) => {
    const field = fields.get(id);
    if (field && !field.system && !field.recordOnly) return [];
    return { ...place, text: `fills: no parameter '${id}'${didYouMean(id, fields.keys())}` };
  });
}

function ruleFaults({ access }: FunctionDef, kind: KindDef, model: Model): string[] {
  if (access === undefined) return [];
  const texts = accessTexts(access, (setting, faults) => checkAccessRules({ ...kind, access: setting }, model, faults));
  return texts.map((text) => `access: ${text}`);
}

function answerFaults({ returns }: FunctionDef, model: Model): string[] {
  if (!returns) return [];
  if ('parameters' in returns) return referenceFaults('returns', returns.parameters, model);
  return model.kinds.has(returns.kind) ? [] : [`returns: ${unknownKind(returns.kind, model)}`];
}

function referenceFaults(at: string, parameters: readonly ParameterDef[], model: Model): string[] {
  return parameters.flatMap(({ id, referenceKind }) => {
    if (referenceKind === undefined || model.kinds.has(referenceKind)) return [];
    return [`${at}.${id}.reference_kind: ${unknownKind(referenceKind, model)}`];
  });
}

function unknownKind(id: string, { kinds }: Model): string {
  return `no kind '${id}' in this project${didYouMean(id, kinds.keys())}`;
}
