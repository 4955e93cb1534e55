/** The error codes of model files, groups and links: a part of `error-codes.ts`. */
export const DEFINITION_ERRORS = {
  'model.module': {
    status: 409,
    meaning: 'A kind with a module of functions gets another id only once there is a module for that id.',
  },
  'model.bad_file': {
    status: 400,
    meaning: 'A model file has a fault: each is told with its line and the path of the value.',
  },
  'model.loses': {
    status: 409,
    meaning:
      'A step of the model file loses units, values, links or versions that are there, and that was not allowed.',
  },
  'model.opens': {
    status: 409,
    meaning: 'A step of the model file lets somebody do more than before, and that was not allowed.',
  },
  'model.too_large': {
    status: 409,
    meaning: 'A step of the model file would write more units anew than one change may.',
  },
  'model.changed': {
    status: 412,
    meaning: 'The model has another version by now than the one of `If-Match`, or of the call of an agent.',
  },
  'model.locked': {
    status: 403,
    meaning:
      'The project is set to `model=locked`: definitions, and the settings of a model file, are changed by an apply alone.',
  },
  'model.env': {
    status: 400,
    meaning:
      'A model file names a variable in place of a secret: the command line reads variables, and the API gets secrets themselves.',
  },
  'group.unknown': { status: 404, meaning: 'The project has no such group.' },
  'group.exists': { status: 409, meaning: 'A group of that id exists already.' },
  'group.reserved': { status: 400, meaning: 'The id belongs to the system.' },
  'group.bad_definition': {
    status: 400,
    meaning: 'The list of kinds names what is not there, or what joins no group.',
  },
  'group.has_kinds': { status: 409, meaning: 'The group still has kinds; ?cascade=true deletes it anyway.' },
  'link.unknown': { status: 404, meaning: 'No such link, or no such link type.' },
  'link.exists': { status: 409, meaning: 'A link type of that id exists already.' },
  'link.reserved': { status: 400, meaning: 'The id belongs to the system.' },
  'link.too_far': {
    status: 400,
    meaning: 'The walk would reach more units, or follow more links, than one request may: less depth, or one link_id.',
  },
  'link.no_path': { status: 404, meaning: 'No path over links leads to the unit within this depth.' },
  'link.bad_definition': {
    status: 400,
    meaning: 'The parameters of the link type contradict each other or the model.',
  },
  'link.differs': { status: 409, meaning: 'The link exists with other values; PUT changes them.' },
  'link.too_many': { status: 409, meaning: 'The request would delete more links than one may.' },
  'link.in_use': { status: 409, meaning: 'Links of that type exist; ?cascade=true removes them too.' },
} as const;
