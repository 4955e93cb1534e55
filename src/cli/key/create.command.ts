import type { Command } from 'commander';
import { ApiKeys } from '../../auth/keys/api-key.behavior.js';
import { checkNotDeleted, Provisioning } from '../../catalog/project/provisioning.js';
import { refusal } from '../../shared/errors.js';
import type { Json } from '../../shared/json.js';
import { projectOf } from '../../tenancy/project.js';
import type { CommandContext, CommonOptions, Services } from '../tools/command-context.js';
import { print, propertyTable } from '../tools/output.js';

interface CreateKeyOptions extends CommonOptions {
  readonly label?: string;
  readonly scope?: string;
  readonly expires?: string;
}

export function createKeyCommand(parent: Command, { terminal, services }: CommandContext): void {
  parent
    .command('create <project> <member>')
    .description('makes an API key for a member, by its username or e-mail, and prints the secret this one time')
    .option('--label <text>', 'what the key is for')
    .option(
      '--scope <json>',
      'what it may do, as [{"kinds": ["order"], "operations": ["read"]}]; default: all that the member may',
    )
    .option('--expires <time>', 'when it ends, as 2030-01-01T00:00:00Z; default: never')
    .action(async (project: string, member: string, options: CreateKeyOptions) => {
      const made = await services((context) => createKey(context, project, member, options));
      print(terminal, options, made, propertyTable({ ...made, secret: `${made.secret}   (shown this one time)` }));
    });
}

async function createKey({ app }: Services, id: string, member: string, { label, scope, expires }: CreateKeyOptions) {
  const row = await app.get(Provisioning).get(id);
  checkNotDeleted(row);
  const values = new Map<string, Json>([
    ...(label === undefined ? [] : [['label', label] as const]),
    ...(scope === undefined ? [] : [['scope', parseScope(scope)] as const]),
    ...(expires === undefined ? [] : [['expires_at', expires] as const]),
  ]);
  const made = await app.get(ApiKeys).create(projectOf(row), member, values);
  return { id: made.id, member, secret: made.secret };
}

function parseScope(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw refusal('body.malformed', '--scope: must be JSON');
  }
}
