import { Controller, Get, Put, Req, UseInterceptors } from '@nestjs/common';
import { checkAdministrator } from '../../access/access.js';
import { Provisioning } from '../../catalog/project/provisioning.js';
import { type Answer, jsonAnswer } from '../../http/answer/answer.js';
import { readDto } from '../../http/body/dto.js';
import { parseBody } from '../../http/body/read-body.js';
import type { HttpRequest } from '../../http/request/request.js';
import { ApiRoute } from '../../http/route/api-route.js';
import { refuseQuery } from '../../http/route/parse-list-query.js';
import type { Command, Opened } from '../../run/command.js';
import { RunInterceptor } from '../../run/run.interceptor.js';
import type { ProjectSettings } from '../../database/entities/project.entity.js';
import { Faults } from '../../shared/errors.js';
import { readSetting, SettingFault, shownSettings } from '../../tenancy/project-settings.js';
import { TenancyInterceptor } from '../../tenancy/tenancy.interceptor.js';
import { requireContents } from '../contents.js';
import { FileSettingsBody } from './settings.body.js';

const ROUTE = {
  tag: 'Files',
  of: 'contents',
  needs: 'bearer',
  administrators: true,
  content: 'fileSettings',
  alone: true,
} as const;
const NAMES = ['image_sizes', 'originals', 'file_url_seconds'] as const;

/** The settings of the project that are about files. All others are the operator's. */
@Controller('api/lib/file/settings')
@UseInterceptors(TenancyInterceptor, RunInterceptor)
export class FileSettingsController {
  constructor(private readonly projects: Provisioning) {}

  @Get()
  @ApiRoute({ ...ROUTE, id: 'file.settings', summary: 'Read the settings of files' })
  read(@Req() { url }: HttpRequest): Command {
    return {
      authorize: (opened) => {
        authorize(opened);
        return {
          effect: 'read',
          checked: true,
          run: async ({ project }) => {
            refuseQuery(url);
            return answerOf((await this.projects.getActive(project.id)).settings);
          },
        };
      },
    };
  }

  @Put()
  @ApiRoute({
    ...ROUTE,
    id: 'file.change_settings',
    summary: 'Change settings of files',
    description: 'Those that are left out stay. All processes follow within a moment.',
    body: FileSettingsBody,
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
            refuseQuery(url);
            const body = await parseBody(bytes, headers['content-type'], project.schema);
            const settings = settingsOf(readDto(FileSettingsBody, body));
            return answerOf((await this.projects.set(project.id, { settings }, { caller, requestId })).settings);
          },
        };
      },
    };
  }
}

/** @throws KindError 401, 403, 404 */
function authorize(opened: Opened): void {
  checkAdministrator(opened.caller, 'Only administrators see and change the settings of files');
  requireContents(opened, 'read');
}

/** @throws KindError 400 */
function settingsOf(body: FileSettingsBody): ProjectSettings {
  const faults = new Faults();
  const read = NAMES.map((parameter) => {
    const value = body[parameter] ?? undefined;
    if (value === undefined) return {};
    const setting = readSetting(parameter, String(value)) ?? {};
    if (!(setting instanceof SettingFault)) return setting;
    faults.add('parameter.bad_value', setting.text, { parameter });
    return {};
  });
  faults.throwIfAny();
  return Object.assign({}, ...read) as ProjectSettings;
}

function answerOf(settings: ProjectSettings): Answer {
  const shown = shownSettings(settings);
  return jsonAnswer(Object.fromEntries(NAMES.map((name) => [name, shown[name]])));
}
