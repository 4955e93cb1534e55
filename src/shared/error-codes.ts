/**
 * All error codes with their status and meaning. Codes are stable and public: a test compares docs/errors.md with them.
 */
import { DEFINITION_ERRORS } from './definition-error-codes.js';

export interface ErrorKind {
  readonly status:
    400 | 401 | 403 | 404 | 405 | 409 | 410 | 412 | 413 | 415 | 416 | 422 | 423 | 429 | 431 | 500 | 503 | 504;
  readonly meaning: string;
}

export const ERRORS = {
  'project.missing': { status: 400, meaning: 'The header kind-project-key is missing.' },
  'project.unknown': { status: 401, meaning: 'No project has the key that the header kind-project-key names.' },
  'project.background': {
    status: 409,
    meaning: 'Nothing runs by itself in the project: its setting background is off.',
  },
  'project.exists': { status: 409, meaning: 'A project of that id exists already.' },
  'project.full': {
    status: 409,
    meaning:
      'The project has as many kinds, parameters, groups, link types or units as it may have, takes as much storage as it may, or a table has as many columns as it may.',
  },
  'project.unavailable': { status: 503, meaning: 'The project is being upgraded, restored or deleted.' },

  'token.missing': { status: 401, meaning: 'The resource needs a bearer token and none was sent.' },
  'token.invalid': {
    status: 401,
    meaning: 'The bearer token is malformed, forged, expired, revoked or of another project.',
  },
  'signin.failed': {
    status: 401,
    meaning: 'What was given to sign in is wrong: the name and password, the code, the passkey or the token.',
  },
  'signup.mismatch': { status: 400, meaning: 'Name, password or e-mail are given twice and differ.' },
  'access.denied': { status: 403, meaning: 'This caller may not do that; another token would be needed.' },

  'route.unknown': { status: 404, meaning: 'No such address.' },
  'route.method': {
    status: 405,
    meaning: 'The address, or the function, does not take that method; Allow names those that it takes.',
  },
  'kind.unknown': { status: 404, meaning: 'The project has no such kind.' },
  'kind.inactive': { status: 403, meaning: 'The kind is switched off (active: false).' },
  'kind.remote_unavailable': {
    status: 503,
    meaning:
      'The kind is remote and no function module supplies its units, or its source fails or answers what does not fit.',
  },
  'kind.built_in': {
    status: 403,
    meaning: 'Built-in kinds and groups keep their identity, their fields and their place.',
  },
  'kind.exists': { status: 409, meaning: 'A kind of that id exists already.' },
  'kind.reserved': { status: 400, meaning: 'The id belongs to the system.' },
  'kind.has_units': {
    status: 409,
    meaning: 'The change would lose or invalidate stored units; the text has their number.',
  },
  'kind.referenced': { status: 409, meaning: 'Another kind refers to this one through a unit parameter.' },
  'kind.bad_definition': {
    status: 400,
    meaning: 'The definition contradicts itself or names something that is not there.',
  },
  'kind.changes': {
    status: 400,
    meaning: 'The changes of these units cannot be recorded in that way.',
  },
  'changes.off': { status: 400, meaning: 'The changes of the kind are not recorded (`changes` of the kind).' },
  'changes.resync': {
    status: 410,
    meaning: 'The changes from that cursor on are not kept; read the lists again, and begin without `since`.',
  },
  'live.bad_query': {
    status: 400,
    meaning: 'The body of a request for live lists is malformed, or a path leads to no list or unit.',
  },
  'token.expired': {
    status: 401,
    meaning: 'The end of a stream: its token has expired; get another one, and open it again.',
  },
  'token.revoked': {
    status: 401,
    meaning: 'The end of a stream, or of an upload: its session was ended, or its API key deleted.',
  },
  'stream.old': { status: 503, meaning: 'The end of a stream that has lasted for an hour: open it again.' },
  'history.off': { status: 400, meaning: 'The kind keeps no history (`changes` of the kind).' },
  'history.not_kept': {
    status: 400,
    meaning: 'How the unit was at that time is not known: it is before what is kept, or in the future.',
  },
  'history.unknown': { status: 404, meaning: 'The unit has no such version, or none that the caller may see.' },
  'history.kept': {
    status: 409,
    meaning: 'The change would delete the history of the units; `?cascade=true` deletes it.',
  },
  'changes.gone': { status: 409, meaning: 'The change is no longer kept.' },
  'stream.too_many': { status: 429, meaning: 'Too many requests and streams of one caller wait for changes.' },
  'webhook.exists': { status: 409, meaning: 'A webhook of that id exists already.' },
  'webhook.address': { status: 400, meaning: 'Webhooks are not sent to that address.' },
  'webhook.too_many': { status: 409, meaning: 'The project has as many webhooks as it may.' },
  'webhook.loop': { status: 403, meaning: 'The request is a delivery of a webhook, which is not sent to this API.' },
  'webhook.secret_unreadable': {
    status: 409,
    meaning: 'The secret of the webhook cannot be read with the keys of the service: rotate it.',
  },
  'webhook.delivery_unknown': { status: 404, meaning: 'The webhook has no such delivery; old ones are not kept.' },
  'kind.no_aggregate': {
    status: 400,
    meaning: 'The kind is remote, and its source has no `aggregate`, so that its units cannot be grouped or counted.',
  },
  'kind.one_by_one': {
    status: 400,
    meaning:
      'The units of the kind let somebody in, such as API keys: they are written one by one, each by a request of its own at its address.',
  },
  'kind.not_allowed_here': { status: 404, meaning: 'The operation is not there for this kind.' },

  ...DEFINITION_ERRORS,
  'key.not_here': { status: 403, meaning: 'The address takes no API key, or no key of this sort.' },
  'key.no_scope': { status: 400, meaning: "An agent's key of an administrator says in its scope what it may do." },
  'key.throttled': { status: 429, meaning: "An agent's key, or all agents of the project, have called too often." },
  'agents.off': { status: 403, meaning: 'The project lets no agents in: its setting agents is off.' },
  'key.too_many': { status: 409, meaning: 'The member has as many API keys as it may have.' },
  'mail_sign_in.off': {
    status: 400,
    meaning: 'The project mails no codes that sign in (its setting `mail_sign_in`).',
  },
  'proof.wrong': {
    status: 400,
    meaning: 'The code, the password or the answer of the passkey is wrong, too old, or was used before.',
  },
  'totp.exists': { status: 409, meaning: 'The member has an authenticator app already.' },
  'totp.missing': {
    status: 409,
    meaning: 'The member has no authenticator app, or none that waits for its first code.',
  },
  'secret.closed': {
    status: 503,
    meaning: 'A stored secret cannot be read: it was encrypted with another SECRETS_KEY.',
  },
  'passkey.not_set_up': {
    status: 400,
    meaning:
      'The project takes no passkeys: the settings `passkey_domain` and `passkey_origins` are not both set, or no origin is at the domain.',
  },
  'passkey.in_use': {
    status: 409,
    meaning: 'Passkeys of members could not be used any more; ?cascade=true changes the setting anyway.',
  },
  'passkey.too_many': { status: 409, meaning: 'The member has as many passkeys as it may have.' },
  'provider.exists': { status: 409, meaning: 'An identity provider of that id exists already.' },
  'provider.too_many': { status: 409, meaning: 'The project has as many identity providers as it may.' },
  'provider.bad_issuer': { status: 400, meaning: 'The issuer of an identity provider is no address that can be used.' },
  'provider.unknown': { status: 404, meaning: 'The project has no active identity provider of that id.' },
  'provider.unavailable': {
    status: 503,
    meaning:
      'The identity provider does not answer, or not in a form that can be used; also what an application is led back with.',
  },
  'provider.refused': {
    status: 400,
    meaning: 'The identity provider has said no, or what it said failed a check: what an application is led back with.',
  },
  'provider.email_unverified': {
    status: 403,
    meaning:
      'The identity is new, and its provider does not say of its e-mail address that it is verified: what an application is led back with.',
  },
  'provider.claims_missing': {
    status: 400,
    meaning: 'What the identity provider says does not suffice for a new member: what an application is led back with.',
  },
  'redirect.not_allowed': {
    status: 400,
    meaning: 'A sign-in with an identity provider may not lead to that address (the setting `redirects`).',
  },
  'identity.not_linked': {
    status: 409,
    meaning:
      'A member has the address of the identity, and it is not linked by its address: the member signs in in another way, and links it. What an application is led back with.',
  },
  'identity.linked': {
    status: 409,
    meaning: 'The identity is linked to another member; also what an application is led back with.',
  },
  'identity.bad_ticket': {
    status: 400,
    meaning: 'The ticket is none for this identity provider, or was used, or is older than five minutes.',
  },
  'identity.too_many': { status: 409, meaning: 'The member has as many identities as it may have.' },
  'email.unverified': {
    status: 403,
    meaning:
      'The project asks for a verified e-mail address, which the member has not proved: it reaches its own authentication alone.',
  },
  'second_step.missing': {
    status: 403,
    meaning:
      'The project asks for a second step, which the member has not set up, or not used in this session: it reaches its own authentication alone.',
  },
  'session.stale': { status: 403, meaning: 'The member has to prove once more who it is (POST /auth/confirm).' },
  'session.unknown': { status: 404, meaning: 'The member has no such session.' },
  'unit.unknown': { status: 404, meaning: 'No such unit, or none that the caller may read.' },
  'unit.changed': {
    status: 412,
    meaning: 'The unit is no longer the version that If-Match, or updated_at in the body, names.',
  },
  'unit.not_unique': {
    status: 409,
    meaning: 'Another unit has the same values in parameters that are unique together.',
  },
  'unit.check': {
    status: 400,
    meaning: 'The unit would fail a check of its kind.',
  },
  'unit.referenced': {
    status: 409,
    meaning: 'Other units refer to this one, and their reference forbids its deletion.',
  },
  'unit.too_many': {
    status: 409,
    meaning: 'More units match than the edit or deletion by filter may change; max_affected raises it.',
  },
  'unit.reaches_too_many': {
    status: 409,
    meaning: 'The deletion would take along more units, or links with hooks, than one may.',
  },
  'unit.exists': { status: 409, meaning: 'A unit with that id is there again.' },
  'unit.member': { status: 409, meaning: 'A member who was deleted does not come back.' },
  'unit.key_immutable': { status: 409, meaning: "A unit's natural key never changes." },
  'unit.last_administrator': { status: 409, meaning: 'The last administrator of a project cannot be deleted.' },
  'unit.conflict': { status: 409, meaning: 'The change conflicts with what is stored.' },

  'parameter.unknown': { status: 400, meaning: 'The kind has no parameter of that name.' },
  'parameter.no_key': { status: 400, meaning: 'A unit is got by a parameter that is not unique.' },
  'parameter.exists': {
    status: 409,
    meaning: 'A parameter of that id exists already in the project, whatever its type.',
  },
  'parameter.reserved': { status: 400, meaning: 'The id is a field that every unit has.' },
  'parameter.in_use': { status: 409, meaning: 'Kinds use the parameter; ?cascade=true takes it from them too.' },
  'parameter.in_check': {
    status: 409,
    meaning: 'A check of a kind names the parameter; ?cascade=true takes the check too.',
  },
  'parameter.in_default': {
    status: 409,
    meaning: 'The default of another parameter takes its value of members; the text has both.',
  },
  'parameter.has_values': { status: 409, meaning: 'Stored units have values there; the text has their number.' },
  'parameter.violated': {
    status: 409,
    meaning: 'Stored units would violate the new constraint; the text has their number.',
  },
  'parameter.immutable': { status: 400, meaning: 'That field never changes after creation.' },
  'parameter.locked_by_units': {
    status: 409,
    meaning: 'That field cannot change while kinds that use the parameter have units.',
  },
  'parameter.bad_definition': { status: 400, meaning: 'The definition of the parameter contradicts itself.' },
  'parameter.bad_pattern': {
    status: 400,
    meaning: 'The pattern is no regular expression of the RE2 dialect, or too large a one.',
  },
  'parameter.required': { status: 400, meaning: 'The value must be given.' },
  'parameter.null': { status: 400, meaning: 'The value must not be null.' },
  'parameter.bad_type': { status: 400, meaning: 'The value has another type than the parameter.' },
  'parameter.bad_expression': {
    status: 409,
    meaning: 'The result of an expression on what is stored does not fit the parameter.',
  },
  'parameter.bad_value': { status: 400, meaning: 'The value is of the right type but not allowed.' },
  'parameter.too_short': { status: 400, meaning: 'The value is shorter than allowed.' },
  'parameter.too_long': { status: 400, meaning: 'The value is longer than allowed.' },
  'parameter.too_small': { status: 400, meaning: 'The value is below the smallest allowed.' },
  'parameter.too_large': { status: 400, meaning: 'The value is above the largest allowed.' },
  'parameter.not_allowed': { status: 400, meaning: 'The value is not among the allowed ones.' },
  'parameter.pattern_mismatch': { status: 400, meaning: 'The value does not match the pattern.' },
  'parameter.duplicate': { status: 400, meaning: 'The list has the same element twice and its elements are unique.' },
  'parameter.not_unique': { status: 409, meaning: 'Another unit has the same value in a unique parameter.' },
  'parameter.bad_reference': { status: 400, meaning: 'The value names a unit, kind or parameter that is not there.' },
  'parameter.write_once': {
    status: 409,
    meaning: 'The parameter may be written once, and the unit has another value already.',
  },
  'parameter.transition': {
    status: 409,
    meaning: 'The parameter has transitions, and none leads from the stored value, or from nothing, to the new one.',
  },
  'parameter.read_only': { status: 400, meaning: 'The field is written by the system.' },

  'identifier.malformed': { status: 400, meaning: 'The id does not fit the pattern of identifiers.' },
  'identifier.missing': {
    status: 400,
    meaning: 'An id is needed: none was given and none could be made from the label.',
  },

  'body.malformed': { status: 400, meaning: 'The body is not valid JSON in UTF-8.' },
  'body.timeout': { status: 400, meaning: 'The body took too long to arrive.' },
  'body.not_object': {
    status: 400,
    meaning: 'The body must be a JSON object (or, where bulk is allowed, an array of objects).',
  },
  'body.too_many': {
    status: 400,
    meaning:
      'A bulk body has too many objects, or these too many defaults, or a large body has too many elements, keys or levels in one place.',
  },
  'body.too_large': { status: 413, meaning: 'The body is larger than allowed.' },
  'body.not_json': {
    status: 415,
    meaning:
      'The content-type must be application/json; of a model file that or application/yaml, of an import text/csv or application/x-ndjson, of a part of an upload application/offset+octet-stream, of a form that an identity provider posts application/x-www-form-urlencoded.',
  },
  'import.malformed': {
    status: 400,
    meaning:
      'The file of an import cannot be read as CSV, NDJSON or gzip; `line` and `record` are where, as far as it is known.',
  },
  'import.bad_header': { status: 400, meaning: 'The header row of a CSV file names a column twice, or not at all.' },
  'path.malformed': { status: 400, meaning: 'The path is not valid percent-encoded UTF-8.' },
  'request.malformed': { status: 400, meaning: 'The bytes that came are no HTTP request.' },
  'request.head_too_large': { status: 431, meaning: 'The head of the request has too many bytes or too many fields.' },

  'header.bad_value': { status: 400, meaning: 'A header has a value that it cannot have.' },
  'header.not_here': { status: 400, meaning: 'The request has a header that this operation does not take.' },
  'query.unknown': { status: 400, meaning: 'No such query parameter here.' },
  'query.bad_value': { status: 400, meaning: 'The value of a query parameter is malformed or out of range.' },
  'query.conflict': { status: 400, meaning: 'Two query parameters exclude each other.' },
  'query.mixed': {
    status: 400,
    meaning: 'A name is of different types in several kinds, of which one has a parameter of its own.',
  },
  'query.too_large': {
    status: 400,
    meaning:
      'It takes a larger statement, more pairs of elements, or more temporary files of PostgreSQL than allowed: fewer kinds or references, or a filter.',
  },
  'query.timeout': {
    status: 503,
    meaning: 'The query, a batch, or a deletion with all that it takes along, took longer than it may.',
  },
  'answer.too_large': {
    status: 400,
    meaning: 'The answer would be larger than allowed: a smaller limit, or fewer fields with include.',
  },
  'document.too_large': {
    status: 413,
    meaning: 'The API document would be larger than allowed; `?kinds=a,b` asks for some kinds.',
  },
  'filter.syntax': { status: 400, meaning: 'The filter does not follow the grammar; the text has the character.' },
  'filter.unknown_parameter': { status: 400, meaning: 'The filter names a parameter that the kind does not have.' },
  'filter.unknown_operator': { status: 400, meaning: 'The filter uses an operator that does not exist.' },
  'filter.bad_operator': { status: 400, meaning: "The parameter's type does not have that operator." },
  'filter.bad_value': { status: 400, meaning: "The value cannot be read as the parameter's type." },
  'filter.too_large': { status: 400, meaning: 'The filter is longer, wider or deeper than allowed.' },
  'filter.no_trigrams': {
    status: 400,
    meaning: "The database does not have PostgreSQL's extension pg_trgm, by which texts are compared.",
  },

  'file.digest': { status: 400, meaning: 'Content-Digest is malformed, or not that of the body that came.' },
  'file.type_mismatch': { status: 400, meaning: 'The content is of another type than the request says.' },
  'file.type_not_allowed': { status: 400, meaning: 'The parameter does not take files of this type.' },
  'file.range': { status: 416, meaning: 'The content has no byte in the range; Content-Range says how many it has.' },
  'file.bad_signature': { status: 403, meaning: 'The signature of the address is not good, or was revoked.' },
  'file.expired': {
    status: 403,
    meaning: 'The address has expired, or the content that it was made for was replaced or deleted.',
  },
  'file.not_here': { status: 400, meaning: 'Files are not imported or upserted: each is uploaded.' },
  'file.original': {
    status: 403,
    meaning: 'The project shows pictures as they were uploaded to their owners alone; others name a size.',
  },
  'file.content_gone': {
    status: 409,
    meaning: 'The file has another content now, or was deleted, and no content comes back: name what else to put back.',
  },
  'file.upload_unknown': { status: 404, meaning: 'The member has no such resumable upload, or it has expired.' },
  'file.wrong_offset': { status: 409, meaning: 'The resumable upload is at another offset, which `HEAD` answers.' },
  'file.too_many_uploads': { status: 409, meaning: 'The member has as many open resumable uploads as it may have.' },
  'file.too_many_parts': {
    status: 400,
    meaning: 'The resumable upload has as many parts as it may have: begin it again, with larger ones.',
  },
  'file.upload_busy': { status: 423, meaning: 'Another request works on the resumable upload: try again.' },
  'file.tus_version': {
    status: 412,
    meaning: 'Tus-Resumable is missing, or names another version than those in Tus-Version.',
  },
  'file.unavailable': { status: 503, meaning: 'Where the contents of files are kept does not answer.' },
  'file.no_image': {
    status: 400,
    meaning:
      'The file is no picture of those that are made in other sizes (jpeg, png, webp, gif, avif), or it is damaged.',
  },
  'file.image_too_large': {
    status: 400,
    meaning: 'The picture has more bytes or pixels than are made in other sizes, or takes too much time or memory.',
  },
  'file.no_images': {
    status: 503,
    meaning: 'The service makes no pictures in other sizes: the optional package `sharp` is not installed.',
  },

  'function.unknown': { status: 404, meaning: 'The kind has no such function.' },
  'function.broken': {
    status: 503,
    meaning: 'The function module of the kind does not load; the log of the service says why.',
  },
  'function.loop': {
    status: 409,
    meaning: 'What follows a commit has written what it follows, more than ten times one after the other.',
  },
  'function.no_failure': { status: 404, meaning: 'No failure of that id is kept.' },
  'function.running': { status: 409, meaning: 'A run of the scheduled function is under way.' },
  'function.timeout': {
    status: 504,
    meaning: 'A function, a hook or a remote source took longer than its time limit.',
  },

  'batch.bad_operation': { status: 400, meaning: 'An operation of a batch is malformed.' },
  'batch.bad_reference': {
    status: 400,
    meaning: 'An operation of a batch uses what no earlier one answered, or a name is given twice.',
  },
  'batch.not_here': { status: 400, meaning: 'A batch cannot do that; it is a request of its own.' },
  'idempotency.bad_key': {
    status: 400,
    meaning: 'The header Idempotency-Key is not one key of 1 to 255 visible ASCII characters.',
  },
  'idempotency.not_here': {
    status: 400,
    meaning:
      'The address, a caller without a token, or an answer that ends, such as an address of a file, cannot have an Idempotency-Key.',
  },
  'idempotency.running': { status: 409, meaning: 'The first request with this Idempotency-Key is not answered yet.' },
  'idempotency.mismatch': {
    status: 422,
    meaning: 'The Idempotency-Key was used for another method, path, query or body.',
  },
  'idempotency.erased': {
    status: 409,
    meaning: 'The request was answered, and its answer was erased with the history of a unit in it.',
  },
  'idempotency.full': {
    status: 429,
    meaning: 'The project keeps as many bytes of answers as it may in a day; Retry-After says when to come back.',
  },

  'project.limit': {
    status: 429,
    meaning: 'The project has made more requests than it may per second; Retry-After says when to come back.',
  },
  'request.throttled': { status: 429, meaning: 'Too many attempts; Retry-After says when to come back.' },
  'server.error': { status: 500, meaning: 'Something went wrong here; the text has the request id.' },
  'server.busy': {
    status: 503,
    meaning: 'The service has more to do than it can, or others change the same units all the time.',
  },
  'server.stopping': { status: 503, meaning: 'The service is shutting down.' },
  'database.unavailable': {
    status: 503,
    meaning:
      'The database does not answer, or is out of disk space or memory. Where it did not answer to a write, it may have been stored: the text says so.',
  },
  'database.busy': { status: 503, meaning: 'The database is busy with a conflicting change.' },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof ERRORS;
