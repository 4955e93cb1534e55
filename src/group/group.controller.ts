import { Controller, Get, Param, Req } from '@nestjs/common';
import type { Answer } from '../http/answer.js';
import type { HttpRequest } from '../http/request.js';
import { getGroup } from '../model/model.js';
import { Scope, type RequestScope } from '../tenancy/request-scope.js';
import { Structs } from '../unit/struct.js';
import { GroupReader } from './group.reader.js';
import { UnitReader } from '../unit/unit.reader.js';

/** What is the groups' own; they are units of `group` for all else. */
@Controller('api/lib/group/:group')
export class GroupController {
  constructor(
    private readonly groups: GroupReader,
    private readonly reader: UnitReader,
    private readonly structs: Structs,
  ) {}

  @Get('struct')
  struct(@Scope() scope: RequestScope, @Param('group') group: string, @Req() request: HttpRequest): Promise<Answer> {
    return this.structs.ofGroup(scope, group, request.url);
  }

  /** The kinds of the group are the kinds that its list names. */
  @Get('kind')
  kinds(@Scope() scope: RequestScope, @Param('group') id: string, @Req() request: HttpRequest): Promise<Answer> {
    return this.reader.listWhere(scope, 'kind', request.url, (kind, model) => {
      return { op: 'in', target: { field: kind.keyField, keys: [] }, values: getGroup(model, id).kinds };
    });
  }

  @Get('unit')
  list(@Scope() scope: RequestScope, @Param('group') group: string, @Req() request: HttpRequest): Promise<Answer> {
    return this.groups.list(scope, group, request.url);
  }

  @Get('unit/:unit')
  get(
    @Scope() scope: RequestScope,
    @Param('group') group: string,
    @Param('unit') unit: string,
    @Req() request: HttpRequest,
  ): Promise<Answer> {
    return this.groups.get(scope, group, unit, request.url);
  }
}
