/**
 * The administrators of the project that is imported into. They keep their passwords, so that somebody can sign in: one
 * with the username of an administrator in the archive becomes that one, others stay beside those of the archive.
 */
import type { Transaction } from '../../database/database.js';
import { ADMIN_KIND, OWNED_KINDS } from '../../model/built-in-traits.js';
import { getBuiltInKind, type Model } from '../../model/model.js';
import { foldName } from '../../shared/member-names.js';
import { findCredentialStatement, setPasswordStatement } from '../../sql/member/credential.sql.js';
import { lockForDefinitionChangeStatement } from '../../sql/definition/ddl.sql.js';
import {
  CLOSE_ROWS,
  deleteRowsStatement,
  insertLinesStatement,
  openRowsStatement,
  type FileRows,
} from '../../sql/list/project-rows.sql.js';
import { endMembersStatement } from '../../sql/member/session.sql.js';
import { sendLines } from '../file/cursor-lines.js';
import { ArchiveError } from './archive.js';
import { credentialFile, unitFile } from './project-files.js';

/** Administrators that a project may have to count as empty. */
const MOST = 100;

interface Administrator {
  readonly unit: string;
  readonly credential: string;
}

/** A line of credentials. */
interface CredentialLine {
  readonly username: string;
  readonly email: string;
  readonly password_hash: string | null;
  readonly member_id: string;
}

/** Takes the administrators out of their tables. Their sessions, API keys and passkeys end, as their ids can change. */
export async function takeAdministrators(tx: Transaction, schema: string, model: Model): Promise<Administrator[]> {
  const { units, credentials } = rowsOf(model);
  await tx.run(lockForDefinitionChangeStatement(schema, [units.table, credentials.table, ...OWNED_KINDS]));
  const byId = new Map(
    (await linesOf(tx, schema, units)).map((line) => [(JSON.parse(line) as { id: string }).id, line]),
  );
  if (byId.size > MOST) throw new ArchiveError(`the project is not empty: it has more than ${MOST} administrators`);
  const kept = (await linesOf(tx, schema, credentials)).flatMap((credential) => {
    const unit = byId.get(credentialOf(credential).member_id);
    return unit === undefined ? [] : [{ unit, credential }];
  });
  await tx.run(endMembersStatement(schema, ADMIN_KIND));
  for (const owned of OWNED_KINDS) await tx.run(deleteRowsStatement(schema, owned));
  await tx.run(deleteRowsStatement(schema, units.table));
  return kept;
}

/** Call it when the members of the archive are stored. @throws ArchiveError if one of these has the name or address */
export async function putBackAdministrators(
  tx: Transaction,
  schema: string,
  model: Model,
  administrators: readonly Administrator[],
): Promise<void> {
  const { units, credentials } = rowsOf(model);
  for (const { unit, credential } of administrators) {
    const { username, email, password_hash: hash } = credentialOf(credential);
    const [name, address] = [foldName(username), foldName(email)];
    const [same] = await tx.run<Found>(findCredentialStatement(schema, name));
    if (same && same.member_kind === ADMIN_KIND && foldName(same.username) === name) {
      // A password of the archive is that of the administrator there.
      if (hash !== null && same.password_hash === null)
        await tx.run(setPasswordStatement(schema, same.member_id, hash));
      continue;
    }
    const [taken = same] = await tx.run<Found>(findCredentialStatement(schema, address));
    if (taken) {
      throw new ArchiveError(
        `the administrator '${username}' has the name or the e-mail address of '${taken.username}' in the export, who is no administrator of that name: import into a project whose administrator has others`,
      );
    }
    await tx.run(insertLinesStatement(schema, units, [unit]));
    await tx.run(insertLinesStatement(schema, credentials, [credential]));
  }
}

interface Found {
  readonly username: string;
  readonly password_hash: string | null;
  readonly member_kind: string;
  readonly member_id: string;
}

function rowsOf(model: Model): { units: FileRows; credentials: FileRows } {
  return { units: unitFile(getBuiltInKind(model, ADMIN_KIND)).rows, credentials: credentialFile(model, true).rows };
}

async function linesOf(tx: Transaction, schema: string, rows: FileRows): Promise<string[]> {
  const lines: string[] = [];
  const add = (line: string): undefined => {
    lines.push(line);
  };
  await sendLines(tx, openRowsStatement(schema, rows), { add, ready: () => Promise.resolve() });
  await tx.run(CLOSE_ROWS);
  return lines;
}

function credentialOf(line: string): CredentialLine {
  return JSON.parse(line) as CredentialLine;
}
