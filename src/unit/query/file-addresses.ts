/** How the addresses of files are made that an answer shows. */
import type { Session } from '../../catalog/session/session.js';
import { URL_FIELD } from '../../model/built-in/file-fields.js';
import { keyNotHere } from '../../run/idempotency-keys.js';
import { filesPath, roundedExpiry } from '../../shared/file-address.js';
import { refusal } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import type { FileAddresses } from '../../sql/list/file-address.sql.js';
import { agentOf, isAdministrator } from '../../tenancy/caller.js';

export type AddressedSession = Pick<Session, 'project' | 'caller' | 'kept' | 'origin'>;

/** @throws KindError 400 for an answer that is kept, and where none are made */
export function fileAddresses({ project, caller, kept, origin }: AddressedSession): FileAddresses {
  const { id, schema, settings, addressKey } = project;
  const plain = { schema, path: filesPath(id) };
  // What an agent passes on opens nothing.
  if (caller.type === 'anonymous' || agentOf(caller)) return plain;
  // What code of modules reads is not the answer.
  if (kept && !origin) throw keyNotHere('the address of a file is made for each answer and ends, and is not kept');
  if (!addressKey) throw refusal('query.bad_value', `include: '${URL_FIELD.id}' of files is not made here`);
  const expires = String(roundedExpiry(settings.fileUrlSeconds ?? LIMITS.fileUrlSeconds));
  const narrow = settings.originals === 'owner' && caller.type === 'member' && !isAdministrator(caller);
  return { ...plain, signed: { expires, key: addressKey(expires), ...(narrow && { originalsOf: caller.id }) } };
}
