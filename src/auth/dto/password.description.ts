/** Schemas of passwords. Rules that involve the member's names are checked in `password/password-hash.ts`. */
import type { TextDescription } from '../../http/body/dto.js';
import { PASSWORD } from '../../shared/limits.js';

export const PASSWORD_FIELD: TextDescription = { format: 'password', writeOnly: true };

export const NEW_PASSWORD_FIELD: TextDescription = { ...PASSWORD_FIELD, ...PASSWORD };
