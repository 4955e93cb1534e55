import { Controller, Get, Put, Req, UseInterceptors } from '@nestjs/common';
import { checkAdministrator } from '../../access/access.js';
import { Provisioning } from '../../catalog/project/provisioning.js';
import type { ProjectSettings } from '../../database/entities/project.entity.js';
import { jsonAnswer } from '../../http/answer/answer.js';
import { readDto } from '../../http/body/dto.js';
import { parseBody } from '../../http/body/read-body.js';
import type { HttpRequest } from '../../http/request/request.js';
import { ApiRoute } from '../../http/route/api-route.js';
import { parseFlags, refuseQuery } from '../../http/route/parse-list-query.js';
import { CASCADE_QUERY } from '../../http/route/query-names.js';
import type { Command, Opened } from '../../run/command.js';
import { RunInterceptor } from '../../run/run.interceptor.js';
import { refusal } from '../../shared/errors.js';
import {
  ADMINISTERED,
  administeredSettings,
  readAdministered,
  SEEN_BY_ADMINISTRATORS,
  SettingFault,
} from '../../tenancy/project-settings.js';
import type { Project } from '../../tenancy/project.js';
import { TenancyInterceptor } from '../../tenancy/tenancy.interceptor.js';
import { FreshProof } from '../session/fresh-proof.js';
import { SettingsBody } from './settings.dto.js';

const ROUTE = {
  tag: 'Project',
  needs: 'bearer',
  administrators: true,
  content: 'settings',
  alone: true,
} as const;

/** The settings of the project that its administrators set. All others are the operator's. */
@Controller('api/lib/settings')
@UseInterceptors(TenancyInterceptor, RunInterceptor)
export class SettingsController {
  constructor(
    private readonly projects: Provisioning,
    private readonly proof: FreshProof,
  ) {}

  @Get()
  @ApiRoute({ ...ROUTE, id: 'settings', summary: 'Read the settings of the project' })
  read(@Req() { url }: HttpRequest): Command {
    return {
      authorize: (opened) => {
        authorize(opened);
        return {
          effect: 'read',
          checked: true,
          run: async ({ project }) => {
            refuseQuery(url);
            return jsonAnswer(administeredSettings((await this.projects.getActive(project.id)).settings));
          },
        };
      },
    };
  }

  @Put()
  @ApiRoute({
    ...ROUTE,
    id: 'settings.change',
    summary: 'Change settings of the project',
    description: `Those that are left out stay. All processes follow within a moment. ${provedNames().join(', ')} ask for a fresh proof, and are not set by API keys. A change after which passkeys of members could not be used any more is 409 without \`?cascade=true\`.`,
    query: CASCADE_QUERY,
    body: SettingsBody,
    refuses: [409],
  })
  change(@Req() { url, headers }: HttpRequest): Command {
    return {
      authorize: (opened) => {
        authorize(opened);
        return {
          // Of the registry, which no transaction of the project has.
          effect: 'outside',
          body: 'small',
          checked: true,
          run: async ({ project, caller, requestId }, bytes) => {
            const cascade = parseFlags(url, CASCADE_QUERY).has('cascade');
            const body = await parseBody(bytes, headers['content-type'], project.schema);
            const given = readDto(SettingsBody, body);
            refuseReadOnly(given, project);
            const settings = settingsOf(given);
            if (provedNames().some((name) => isGiven(given, name))) await this.proof.require({ project, caller });
            const changed = await this.projects.set(project.id, { settings }, { caller, requestId, cascade });
            return jsonAnswer(administeredSettings(changed.settings));
          },
        };
      },
    };
  }
}

/** @throws KindError 401, 403 */
function authorize({ caller }: Opened): void {
  checkAdministrator(caller, 'Only administrators see and change the settings of the project');
}

function provedNames(): string[] {
  return ADMINISTERED.filter(({ proved }) => proved).map(({ name }) => name);
}

/** @throws KindError 400 */
function refuseReadOnly(body: SettingsBody, { settings }: Project): void {
  const stored = administeredSettings(settings);
  const changed = SEEN_BY_ADMINISTRATORS.find(
    ({ name, readOnly }) => readOnly && isGiven(body, name) && body[name] !== stored[name],
  );
  if (!changed) return;
  const { name } = changed;
  throw refusal('parameter.read_only', `'${name}' is set by the operator, by \`project set\``, { parameter: name });
}

function isGiven(body: SettingsBody, name: string): boolean {
  return (body[name] ?? null) !== null;
}

/** Of a body that was read. */
function settingsOf(body: SettingsBody): ProjectSettings {
  const read = ADMINISTERED.map(({ name: parameter }) => {
    const value = body[parameter] ?? null;
    const setting = value === null ? {} : readAdministered(parameter, value);
    if (setting instanceof SettingFault) throw refusal('parameter.bad_value', setting.text, { parameter });
    return setting ?? {};
  });
  return Object.assign({}, ...read) as ProjectSettings;
}
