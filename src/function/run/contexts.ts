/** Makes the context of a handler: access to data as the caller and as the system, in the transaction of the call. */
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from '../../http/log/logger.js';
import type { Context, Data, Letter, Links, Log, Member, UnitRef, WalkPage } from '../../kit/context.js';
import type { AnyUnit, LinkRecord } from '../../kit/kinds.js';
import type {
  AffectedOptions,
  AggregateOptions,
  GetOptions,
  ListOptions,
  Units,
  UpsertOptions,
  WriteCondition,
  WrittenOptions,
} from '../../kit/units.js';
import type { TransactionRuns } from '../../database/transaction/conflict-retries.js';
import { GroupReader } from '../../group/group.reader.js';
import { LinkReader } from '../../link/walk/link.reader.js';
import type { LinkPath } from '../../link/link.plan.js';
import { LinkService } from '../../link/link.service.js';
import { calledLinks } from '../../link/many/link-set.plan.js';
import { LinkSetService } from '../../link/many/link-set.service.js';
import { layout, mailLine, Markup, markup } from '../../mail/mail-texts.js';
import { MailQueue } from '../../mail/mail-queue.js';
import { isEmailAddress } from '../../shared/email.js';
import { KindError } from '../../shared/errors.js';
import { UndividedWork } from '../../shared/event-loop-yield.js';
import { knowsWholeProject, SYSTEM, type Caller } from '../../tenancy/caller.js';
import {
  originalCallerOf,
  originOfWrites,
  outermostVia,
  runsByItself,
  type Session,
} from '../../catalog/session/session.js';
import { readJson } from '../../http/body/json-pieces.js';
import type { MixedPage } from '../../unit/store/unit-store.js';
import {
  concealHidden,
  concealHiddenOfLink,
  concealHiddenOfLinked,
  type UnitObject,
} from '../../unit/hidden-values.js';
import { SessionUnits } from '../../unit/session-units.js';
import { onlyOne } from '../../unit/unit-answers.js';
import {
  checkedLinkOptions,
  checkedLinks,
  checkedOption,
  checkedSeconds,
  checkNewFile,
  checkText,
  checkUnit,
  createdParameters,
  matchingParameters,
  optionParameters,
  upsertParameters,
  WRITTEN_OPTIONS,
  writtenParameters,
} from './argument-checks.js';
import { withOrigin } from '../sandbox/refusal-origin.js';
import { signalFor, type UserCode } from '../sandbox/user-code.js';
import type { CallScope, TimeLimit } from './time-limit.js';
import { CallFiles, OpenContents } from './call-files.js';
import { OperationQueue } from './operation-queue.js';
import { deepCopy } from '../sandbox/deep-copy.js';
import { FILE_KIND, LINK_TYPE } from '../../model/built-in-traits.js';

interface ContextOptions {
  readonly session: Session;
  readonly call: CallScope;
  readonly code: UserCode;
  /** 0 for a function; one more for each nested hook. */
  readonly depth: number;
}

/** What the data of a caller and of the system have in common. */
interface CallState {
  readonly operations: OperationQueue;
  readonly opened: OpenContents;
  readonly limit: TimeLimit;
}

@Injectable()
export class Contexts {
  constructor(
    private readonly units: SessionUnits,
    private readonly links: LinkService,
    private readonly linkSets: LinkSetService,
    private readonly walks: LinkReader,
    private readonly groups: GroupReader,
    private readonly outgoing: MailQueue,
    private readonly contents: CallFiles,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Makes costly members when they are first read. @param more members that only this handler has */
  make<G extends object>(
    { session, call, code, depth: nested }: ContextOptions,
    more: G,
  ): { readonly context: Context & G; readonly operations: OperationQueue } {
    const operations = new OperationQueue(call, nested, new UndividedWork(session.project.schema));
    const originalCaller = originalCallerOf(session);
    const { project } = session;
    const { via: outer, depth } = originOfWrites(session);
    const via = runsByItself(outer) ? outer : 'function';
    const opened = new OpenContents(operations);
    const data = (caller: Caller): Data =>
      this.#data(
        {
          ...session,
          caller: { ...caller, seesHidden: true },
          originalCaller,
          cascade: undefined,
          origin: {
            via,
            bySystem: caller.type === 'system',
            outermost: outermostVia(session),
            ...(depth !== undefined && { depth }),
          },
        },
        { operations, opened, limit: call.limit },
      );
    const { logger } = this;
    let [system, log, signal]: [Data?, Log?, AbortSignal?] = [];
    const context: Context & G = {
      ...more,
      project: { id: project.id, label: project.label },
      member: memberOf(originalCaller, ({ kind_id, id }) => {
        operations.check();
        return memberUnit(call, () => context.system.units(kind_id).get(id));
      }),
      ...data(originalCaller),
      get system() {
        return (system ??= data(SYSTEM));
      },
      mail: (letter) => {
        operations.check();
        const mail = mailOf(letter);
        this.outgoing.sendAtCommit(call.tx, project.id, { type: 'function', make: () => mail }, 'function');
      },
      get log() {
        return (log ??= logOf(logger.child({ ...code }), call.tx.runs));
      },
      get signal() {
        return (signal ??= signalFor(code, call.limit.signal));
      },
    };
    return { context, operations };
  }

  #data(session: Session, { operations, opened, limit }: CallState): Data {
    const system = session.caller.type === 'system';
    const read = <T>(names: readonly string[], work: () => Promise<T>) =>
      withOrigin({ names, system }, () => operations.read(work));
    const write = <T>(names: readonly string[], work: () => Promise<T>) =>
      withOrigin({ names, system }, () => operations.write(work));
    const { units: all } = this;
    const units = (kind: string) => {
      const get = <T>(work: () => Promise<T>) => read([kind], work);
      // A write to a remote source cannot be rolled back, so it needs no savepoint, which would begin a transaction.
      const change = <T>(work: () => Promise<T>) => (all.isTransactional(session, kind) ? write : read)([kind], work);
      const lockOf = (called: string, id: unknown, options: unknown): boolean => {
        const call = `units('${kind}').${called}`;
        checkText(id, call, 'id');
        return checkedOption(options, call, 'lock', 'boolean') ?? false;
      };
      const conditionOf = (called: string, id: unknown, given: unknown, others?: readonly string[]): WriteCondition => {
        const call = `units('${kind}').${called}`;
        checkText(id, call, 'id');
        const ifMatch = checkedOption(given, call, 'ifMatch', 'string', others);
        return ifMatch === undefined ? {} : { ifMatch };
      };
      checkText(kind, 'units(kind)', 'kind');
      return {
        list: async (options: ListOptions = {}) => {
          const parameters = optionParameters(options, `units('${kind}').list(options)`);
          return get(() => all.list(session, kind, parameters));
        },
        aggregate: async (options: AggregateOptions) => {
          const parameters = optionParameters(options, `units('${kind}').aggregate(options)`);
          return get(() => all.aggregate(session, kind, parameters));
        },
        get: async (id: string, options?: GetOptions) => {
          const lock = lockOf('get(id, options)', id, options);
          return (lock ? change : get)(() => all.get(session, kind, id, { lock }));
        },
        find: async (id: string, options?: GetOptions) => {
          const lock = lockOf('find(id, options)', id, options);
          return (await (lock ? change : get)(() => all.find(session, kind, id, { lock }))) ?? null;
        },
        create: async (values: UnitObject, options?: WrittenOptions) => {
          const parameters = createdParameters(options, `units('${kind}').create(values, options)`);
          return onlyOne(await change(() => all.createAll(session, kind, [values], parameters, { bulk: false })));
        },
        createAll: async (values: readonly UnitObject[], options?: WrittenOptions) => {
          const parameters = createdParameters(options, `units('${kind}').createAll(values, options)`);
          return change(() => all.createAll(session, kind, values, parameters, { bulk: true }));
        },
        update: async (id: string, values: unknown, options?: WriteCondition & WrittenOptions) => {
          const condition = conditionOf('update(id, values, options)', id, options, WRITTEN_OPTIONS);
          const parameters = writtenParameters(options, `units('${kind}').update(id, values, options)`);
          return change(() => all.update(session, kind, id, values, { ...condition, parameters }));
        },
        upsert: async (values: UnitObject, options: UpsertOptions & WrittenOptions = {}) => {
          const parameters = upsertParameters(options, `units('${kind}').upsert(values, options)`);
          return onlyOne(await change(() => all.upsertAll(session, kind, [values], parameters, { bulk: false })));
        },
        upsertAll: async (values: readonly UnitObject[], options: UpsertOptions & WrittenOptions = {}) => {
          const parameters = upsertParameters(options, `units('${kind}').upsertAll(values, options)`);
          return change(() => all.upsertAll(session, kind, values, parameters, { bulk: true }));
        },
        updateAll: async (filter: string, values: unknown, options: AffectedOptions = {}) => {
          const parameters = matchingParameters(filter, options, `units('${kind}').updateAll(filter, values, options)`);
          return change(() => all.updateAll(session, kind, values, parameters));
        },
        removeAll: async (filter: string, options: AffectedOptions = {}) => {
          const parameters = matchingParameters(filter, options, `units('${kind}').removeAll(filter, options)`);
          return change(() => all.removeAll(session, kind, parameters));
        },
        remove: async (id: string, given?: WriteCondition) => {
          const condition = conditionOf('remove(id, condition)', id, given);
          return change(() => all.remove(session, kind, id, condition));
        },
      } satisfies Record<keyof Units<UnitObject, UnitObject>, unknown>;
    };
    const links: Data['links'] = {
      create: async (parent, child, link, values) => {
        const path = pathOf(parent, child, link, 'links.create(parent, child, type, values)');
        return write([path.parentKind, path.childKind], () => this.links.createIn(session, path, values));
      },
      createAll: async (unit, direction, links, options = {}) => {
        const call = 'links.createAll(unit, direction, links, options)';
        const { type = LINK_TYPE, replace = false } = checkedLinkOptions(options, call);
        const given = checkedLinks(links, call);
        checkUnit(unit, call, 'unit');
        checkText(direction, call, 'direction');
        const path = { kind: unit.kind_id, unit: unit.id, link: type, direction };
        const kinds = given.map((each) => each.unit.kind_id);
        return write([...new Set([path.kind, ...kinds])], async () => {
          const { items } = await this.linkSets.createIn(session, path, () => calledLinks(given, replace));
          const records = (await readJson(items, session.project.schema)) as LinkRecord[];
          return records.map((record) => concealHiddenOfLink(session.model, record)) as never;
        });
      },
      update: async (parent, child, link, values) => {
        const path = pathOf(parent, child, link, 'links.update(parent, child, type, values)');
        return write([path.parentKind, path.childKind], () => this.links.updateIn(session, path, values));
      },
      remove: async (parent, child, link) => {
        const path = pathOf(parent, child, link, 'links.remove(parent, child, type)');
        return write([path.parentKind, path.childKind], () => this.links.removeIn(session, path));
      },
      list: (async (unit, direction, options = {}) => {
        const call = 'links.list(unit, direction, options)';
        checkUnit(unit, call, 'unit');
        const path = { kind: unit.kind_id, unit: unit.id, direction };
        const parameters = optionParameters(options, call);
        return read([path.kind], () =>
          mixedPage(session, this.walks.listIn(session, path, parameters), concealHiddenOfLinked),
        );
      }) as Links['list'],
      path: (async (from, to, options = {}) => {
        const call = 'links.path(from, to, options)';
        checkUnit(from, call, 'from');
        checkUnit(to, call, 'to');
        const start = { kind: from.kind_id, unit: from.id };
        const parameters = [...optionParameters(options, call), ['to_kind', to.kind_id], ['to_id', to.id]] as const;
        return read([from.kind_id, to.kind_id], async () => {
          try {
            const path = this.walks.shortestPathIn(session, start, parameters);
            return (await mixedPage(session, path, concealHiddenOfLinked)).items;
          } catch (error) {
            if (error instanceof KindError && error.code === 'link.no_path') return null;
            throw error;
          }
        });
      }) as Links['path'],
    };
    const groups: Data['groups'] = {
      units: async (group, options = {}) => {
        const call = 'groups.units(group, options)';
        checkText(group, call, 'group');
        const parameters = optionParameters(options, call);
        return read([group], () => mixedPage(session, this.groups.listIn(session, group, parameters), concealHidden));
      },
    };
    const files: Data['files'] = {
      create: async (file) => {
        checkNewFile(file, 'files.create(file)');
        return operations.beside(async () => {
          const store = () => this.contents.store(session, file, limit);
          const content = await withOrigin({ names: [FILE_KIND], system }, store);
          return write([FILE_KIND], () => this.contents.create(session, file, content)) as never;
        });
      },
      open: async (id) => {
        checkText(id, 'files.open(id)', 'id');
        return read([FILE_KIND], () => this.contents.open(session, id, opened)) as never;
      },
      url: async (id, options) => {
        const call = 'files.url(id, options)';
        checkText(id, call, 'id');
        const seconds = checkedSeconds(options, call);
        return read([FILE_KIND], () => this.contents.url(session, id, seconds));
      },
    };
    return { units: units as unknown as Data['units'], links, groups, files };
  }
}

/** Every item has `kind_id` here, even if the options exclude it, because hidden parameters are known by kind. */
async function mixedPage(
  { model, project }: Session,
  page: Promise<MixedPage>,
  conceal: typeof concealHidden,
): Promise<WalkPage<AnyUnit>> {
  const { count, items, showsKinds, next } = await page;
  const parsed = (await readJson(items, project.schema)) as AnyUnit[];
  const units = parsed.map((unit) => {
    const { kind_id, ...rest } = unit;
    return conceal(model, kind_id, showsKinds ? unit : rest) as AnyUnit;
  });
  return { count, items: units, ...(next !== undefined && { next }) };
}

function pathOf(parent: UnitRef, child: UnitRef, link = LINK_TYPE, call = ''): LinkPath {
  checkUnit(parent, call, 'parent');
  checkUnit(child, call, 'child');
  checkText(link, call, 'type');
  return { parentKind: parent.kind_id, parent: parent.id, link, childKind: child.kind_id, child: child.id };
}

/** `unit` is no enumerable property, so that the member can be copied and returned. */
function memberOf(caller: Caller, read: (member: UnitRef) => Promise<AnyUnit>): Member | null {
  if (caller.type !== 'member') return null;
  const member = { id: caller.id, kind_id: caller.kindId, administrator: knowsWholeProject(caller) };
  return Object.defineProperty(member, 'unit', { value: async () => read(member) }) as Member;
}

/** The unit of the member, of which each caller gets a copy. A read that failed is repeated. */
async function memberUnit(call: CallScope, read: () => Promise<AnyUnit>): Promise<AnyUnit> {
  call.memberUnit ??= read().catch((error: unknown) => {
    call.memberUnit = undefined;
    throw error;
  });
  return deepCopy(await call.memberUnit) as AnyUnit;
}

function mailOf({ to, reply_to, subject, text, html }: Letter) {
  for (const [name, address] of Object.entries({ to, ...(reply_to !== undefined && { reply_to }) })) {
    if (!isEmailAddress(address))
      throw new TypeError(`mail(): '${name}' wants one address, without a name; got '${address}'`);
  }
  const line = mailLine(subject);
  const content = html === undefined ? markup`<p style="white-space: pre-line">${text}</p>` : new Markup(html);
  return { to, ...(reply_to !== undefined && { replyTo: reply_to }), subject: line, text, html: layout(line, content) };
}

/** Lines are written after the last run, with the time of the call of `log`. Those of repeated runs are discarded. */
function logOf(logger: Logger, runs: TransactionRuns): Log {
  const at =
    (level: 'debug' | 'info' | 'warn' | 'error') =>
    (text: string, fields: object = {}): void => {
      if (!logger.isLevelEnabled(level)) return;
      const line = { ...(deepCopy(fields) as object), at: new Date().toISOString() };
      runs.onEnd(() => logger[level](line, text));
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
